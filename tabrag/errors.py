"""The error that means: the input is wrong, and the message says what, where and how to mend it."""


class UserError(ValueError):
    """A fault in a file, a setting or a call that the user can mend.

    Entry points print its message without a traceback and exit with status 2.
    """


def missing_extra(package: str, extra: str) -> UserError:
    """The error for an optional package that is not installed."""
    return UserError(f"this needs the package '{package}': install it with  pip install 'tabrag[{extra}]'")
