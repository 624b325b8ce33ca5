"""A chat model behind an OpenAI-compatible endpoint: vLLM, SGLang, llama.cpp and others.

What a score means here. The API tells the likeliest first tokens of a reply, not the probability of any text
that one asks for. A choice's score is therefore the log-probability that the reply begins with it as far as
its *first token* tells (:func:`tabrag.chat.wire.choice_scores`), where a local model gives that of the whole
text. Both are the same for a choice of one token, as ``True`` and ``False`` mostly are. For a longer one this
is the larger number, by what the rest of the choice costs once its first token is said: next to nothing in a
model that replies with the labels, much in one that would go on differently (``NOT`` of ``NOT ENOUGH INFO``
begins ``NOT SUPPORTED`` too). A choice outside the list gets the most that it can have.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

from tabrag.chat.completions import Completions
from tabrag.chat.config import ServerChatConfig
from tabrag.chat.endpoint import Refused, ServerUnavailable
from tabrag.chat.protocol import Conversation, Reply, first_stop
from tabrag.chat.thoughts import without_thoughts
from tabrag.chat.wire import choice_scores, reply_probability, token_texts
from tabrag.errors import UserError
from tabrag.files import encodable

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
_MAX_KEPT = 10_000
"""Answers of batches that failed."""


class ServerChat:
    """A :class:`tabrag.chat.protocol.ChatModel` over HTTP; greedy, at temperature 0.

    The server applies the model's chat template. Requests of a batch run at the same time, at most
    ``max_concurrency`` of all callers together, and results come in the order of the conversations. Where
    some of a batch fail, the others are finished and kept: calls that ask for them again, alone or in
    another batch, get them without a request, even when the server is gone.

    Raises:
        UserError: A setting is not usable.
    """

    def __init__(self, config: ServerChatConfig) -> None:
        self.config = config
        self._completions = Completions(config)
        self._pool = ThreadPoolExecutor(config.max_concurrency, thread_name_prefix="chat")
        self._lock = threading.Lock()
        self._kept: dict[Hashable, Any] = {}
        self._told_unlisted = False

    def generate(self, messages: Conversation, *, max_new_tokens: int = 64, stop: Sequence[str] = ()) -> str:
        """The greedy reply to one conversation, cut before the first of ``stop``."""
        return self.generate_batch([messages], max_new_tokens=max_new_tokens, stop=stop)[0].text

    def generate_batch(
        self, conversations: Sequence[Conversation], *, max_new_tokens: int = 64, stop: Sequence[str] = ()
    ) -> list[Reply]:
        """Greedy replies in the order of ``conversations``.

        ``probability`` is None where the server lists no log-probabilities that can be read, and is over the
        tokens that it lists: some servers leave out the end token.

        Raises:
            ServerUnavailable: The server is dead.
            UserError: It refuses a prompt, or a picture does not open.
        """
        stop = tuple(text for text in stop if text)
        return self._all(
            ("generate", max_new_tokens, stop),
            conversations,
            lambda messages: self._reply(messages, max_new_tokens, stop),
        )

    def score(self, messages: Conversation, choices: Sequence[str]) -> list[float]:
        """Log-probability of each choice as the beginning of the next reply; see the module."""
        return self.score_batch([messages], choices)[0]

    def score_batch(self, conversations: Sequence[Conversation], choices: Sequence[str]) -> list[list[float]]:
        """:meth:`score` of each conversation: ``[len(conversations)][len(choices)]``.

        Raises:
            ServerUnavailable: The server is dead.
            UserError: The choices do not differ from their first token on, or the server gives no
                log-probabilities.
        """
        choice_scores([], choices)  # choices that cannot be told apart are an error before any request
        return self._all(("score", *choices), conversations, lambda messages: self._scores(messages, choices))

    def num_tokens(self, text: str) -> int:
        """How many tokens ``text`` takes: counted by the server's ``/tokenize`` (vLLM, SGLang, llama.cpp),
        estimated by :func:`tabrag.tables.token_estimate.estimate_tokens` where it has none.

        The first call also asks the model for one token, so that a wrong url, key or model is an error before
        any work.
        """
        return self._completions.num_tokens(text)

    def close(self) -> None:
        """End the threads and the connections."""
        self._pool.shutdown(cancel_futures=True)
        self._completions.close()

    def _all(
        self,
        kind: tuple[Hashable, ...],
        conversations: Sequence[Conversation],
        ask: Callable[[Conversation], _T],
    ) -> list[_T]:
        """``ask`` of each conversation; of none that was answered in a call that failed."""
        keys = [(kind, tuple(messages)) for messages in conversations]
        with self._lock:
            done: dict[int, _T] = {i: self._kept[key] for i, key in enumerate(keys) if key in self._kept}
        self._completions.interrupted.clear()
        futures = {
            self._pool.submit(ask, messages): i for i, messages in enumerate(conversations) if i not in done
        }
        try:
            wait(futures)
        except BaseException:
            for future in futures:
                future.cancel()
            self._completions.interrupted.set()
            raise
        faults = [fault for future in futures if (fault := future.exception()) is not None]
        done |= {i: future.result() for future, i in futures.items() if future.exception() is None}
        if faults:
            with self._lock:
                self._kept |= {keys[i]: result for i, result in done.items()}
                for key in list(self._kept)[:-_MAX_KEPT]:
                    del self._kept[key]
            raise next((fault for fault in faults if isinstance(fault, ServerUnavailable)), faults[0])
        return [done[i] for i in range(len(keys))]

    def _reply(self, messages: Conversation, max_new_tokens: int, stop: tuple[str, ...]) -> Reply:
        fields: dict[str, Any] = {"max_tokens": max_new_tokens, "logprobs": True}
        choice = self._completions.ask(messages, **fields, **({"stop": list(stop)} if stop else {}))
        text = _text(choice)
        may_go_on = bool(text.strip()) or any(one.isspace() for one in stop)
        if (
            not without_thoughts(text).strip()
            and choice.get("finish_reason") == "stop"
            and stop
            and may_go_on
        ):
            # The reply begins with a thought, or with a blank that is a stop text too. A stop text does not
            # count there: the end is looked for here.
            choice = self._completions.ask(messages, **fields)
            text = _text(choice)
        thoughts = choice["message"].get("reasoning_content") or choice["message"].get("reasoning")
        if not without_thoughts(text).strip() and (thoughts or text.strip()):
            raise UserError(
                f"{self.config.model} thinks aloud and comes to no answer in {max_new_tokens} tokens: turn it"
                " off with server.extra={chat_template_kwargs: {enable_thinking: false}}"
            )
        try:
            tokens = self._listed(choice, first=False)
        except UserError as error:  # the reply itself is there
            logger.info("a reply without its probability: %s", error)
            tokens = None
        cut = first_stop(text, stop)
        text = without_thoughts(text if cut is None else text[:cut]).strip()
        return Reply(text, None if tokens is None else reply_probability(tokens, stop))

    def _scores(self, messages: Conversation, choices: Sequence[str]) -> list[float]:
        top = self.config.top_logprobs
        try:
            choice = self._completions.ask(messages, max_tokens=1, logprobs=True, top_logprobs=top)
        except Refused as error:
            if "logprobs" not in error.said:
                raise
            raise UserError(
                f"{error}: lower server.top_logprobs (now {top}) to what the server allows, or start vLLM"
                f" with --max-logprobs {top}"
            ) from error
        listed = self._listed(choice, first=True)
        if not listed:
            raise UserError(
                f"{self.config.url} gives no log-probabilities, and scores are made of them: serve the model"
                " with vLLM, SGLang or a llama-server from 2025 on, behind no proxy that drops 'logprobs', or"
                " use a local model"
            )
        scores, any_listed = choice_scores(listed, choices)
        if not any_listed and not self._told_unlisted:
            self._told_unlisted = True
            logger.warning(
                "none of %s is among the %d likeliest first tokens of %s, which would rather say %r: where"
                " that is so, all score alike (this is said once)",
                list(choices), len(listed), self.config.model, listed[0][0].decode(errors="replace"),
            )  # fmt: skip
        return scores

    def _listed(self, choice: dict[str, Any], *, first: bool) -> list[tuple[bytes, float]] | None:
        """The tokens of the reply, or the likeliest ones in its ``first`` place; None where the server gives
        none."""
        found = choice.get("logprobs")
        content = found.get("content") if isinstance(found, dict) else None
        if not content:
            return None
        try:
            return token_texts(content[0]["top_logprobs"] if first else content)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise UserError(
                f"{self.config.url}: log-probabilities in an unknown form ({error!r}): serve the model with"
                " vLLM, SGLang or llama.cpp"
            ) from error


def _text(choice: dict[str, Any]) -> str:
    """The text of a reply, which some servers give in parts."""
    content = choice["message"].get("content")
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return encodable("".join(text for text in texts if isinstance(text, str)))
