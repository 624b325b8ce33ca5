"""Measurements that compare with others in one run, so that a busy machine disturbs both sides alike."""
