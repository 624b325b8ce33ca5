"""Requests to an HTTP API that may be slow, overloaded or gone.

A request is tried again with growing pauses where the fault may pass. A server that is found dead is not
asked by every further request in turn: they fail at once, and one in a while is let through to see whether it
is back.
"""

from __future__ import annotations

import email.utils
import functools
import json
import logging
import os
import random
import threading
import time
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import urlsplit

from tabrag.chat.config import ServerChatConfig
from tabrag.errors import UserError

logger = logging.getLogger(__name__)

MAX_RETRY_AFTER = 300.0
"""Seconds; a server that asks for a longer pause is tried again after this one."""
MAX_BYTES = 64 * 1024 * 1024
"""Size of an answer."""
FAILED_IN_A_ROW = 3
"""Requests that fail after all their tries, with none that succeeds in between, until the server counts as
dead; a refused connection shows it at once."""
PAUSE = 30.0
"""Seconds after which a dead server is tried again."""


class ServerUnavailable(UserError):  # noqa: N818
    """The server is gone: what was asked is right, and can be asked again when the server is back."""


class Refused(UserError):  # noqa: N818
    """The server answered that the request is wrong; asking again would not help.

    Attributes:
        status: The HTTP status, 300..499.
        said: What the server wrote, whole.
    """

    def __init__(self, message: str, *, status: int, said: str) -> None:
        super().__init__(message)
        self.status = status
        self.said = said

    def __reduce__(self) -> tuple[Any, ...]:
        """How it travels between processes, which tell each other of their faults."""
        return functools.partial(Refused, status=self.status, said=self.said), self.args


@dataclass
class _Passing(Exception):  # noqa: N818
    """A fault that may be gone at the next try."""

    reason: str
    retry_after: float = 0.0
    unreachable: bool = False


class Endpoint:
    """An API at ``config.url``; may be used from several threads.

    Raises:
        UserError: A setting is out of range, the url is not an http(s) one, or the variable of the key is not
            set.
    """

    def __init__(self, config: ServerChatConfig) -> None:
        import httpx

        self.url = _checked_url(config.url)
        _check_numbers(config)
        self._config = config
        self._key = _key(config.api_key_env)
        self._http = httpx.Client(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=httpx.Timeout(config.timeout, pool=None),
            limits=httpx.Limits(max_connections=config.max_concurrency),
            trust_env=False,  # no proxy, no .netrc: the url is asked itself and nobody else
            follow_redirects=False,  # the key goes to the url alone
        )
        self.interrupted = threading.Event()
        self._lock = threading.Lock()
        self._num_failed = 0
        self._dead = ""
        self._ask_again_at = 0.0

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The JSON object that answers ``body``.

        Args:
            path: Appended to the url; one that begins with ``/`` is counted from the url without its ``/v1``.
            body: JSON values.

        Raises:
            ServerUnavailable: The server is dead; see :data:`FAILED_IN_A_ROW`.
            Refused: It refused the request (3xx, 4xx).
            UserError: This request failed after all its tries.
        """
        beside = path.startswith("/")
        url = self.url.removesuffix("/v1") + path if beside else f"{self.url}/{path}"
        tries = self._tries_left(beside)
        fault = _Passing("not tried")
        for number in range(1, tries + 1):
            try:
                answer = self._once(url, body)
            except _Passing as error:
                fault = error
            except Refused:
                self._mark_alive(beside)
                raise
            else:
                self._mark_alive(beside)
                return answer
            if number < tries:
                logger.info("%s: %s (try %d of %d)", url, fault.reason, number, tries)
                self._pause(number, fault.retry_after)
        raise self._failed(url, fault, tries)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _once(self, url: str, body: dict[str, Any]) -> dict[str, Any]:
        import httpx

        deadline = time.monotonic() + self._config.timeout
        slow = f"no whole answer within {self._config.timeout:g} s"
        content = bytearray()
        try:
            with self._http.stream("POST", url, json=body) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > deadline:
                        raise _Passing(slow)
                    if len(content) > MAX_BYTES:
                        raise _Passing(f"an answer of more than {MAX_BYTES} bytes")
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            reason = self._readable(str(error))
            raise _Passing(f"no connection ({reason})", unreachable=True) from None
        except httpx.TimeoutException:
            raise _Passing(slow) from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _Passing(f"the connection broke ({self._readable(str(error))})") from None
        status = response.status_code
        said = content.decode("utf-8", "replace")
        if status in (408, 429) or status >= 500:
            after = _seconds(response.headers.get("Retry-After", ""))
            raise _Passing(f"status {status} ({self._readable(said)})", retry_after=after)
        if status >= 300:
            raise Refused(
                f"{url} refuses the request with status {status}: {self._readable(said)}{_advice(status)}",
                status=status,
                said=self._without_key(said),
            )
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise _Passing(f"an answer that is no JSON object ({self._readable(said)})")
        if answer.get("error") and not answer.get("choices"):  # as gateways report what a model's host said
            self._raise_inner(url, answer["error"], said)
        return answer

    def _raise_inner(self, url: str, error: Any, said: str) -> NoReturn:
        """Raise for an error that came with a status that says success."""
        code = error.get("code") if isinstance(error, dict) else None
        if isinstance(code, int) and 400 <= code < 500 and code not in (408, 429):
            raise Refused(
                f"{url} refuses the request with code {code}: {self._readable(said)}{_advice(code)}",
                status=code,
                said=self._without_key(said),
            )
        raise _Passing(f"an error in place of a reply ({self._readable(said)})")

    def _tries_left(self, beside: bool) -> int:
        """How often a request may be tried: once, to see whether a dead server is back."""
        with self._lock:
            if not self._dead:
                return 1 + self._config.retries
            if time.monotonic() < self._ask_again_at:
                raise ServerUnavailable(self._dead)
            if not beside:
                self._ask_again_at = time.monotonic() + PAUSE
            return 1

    def _mark_alive(self, beside: bool) -> None:
        """Note an answer. One from beside the API shows nothing: tokens are counted without the model, which
        may be gone all the same."""
        if not beside:
            with self._lock:
                self._num_failed, self._dead = 0, ""

    def _failed(self, url: str, fault: _Passing, tries: int) -> UserError:
        """The error of a request that has used up its tries."""
        number = "1 try" if tries == 1 else f"{tries} tries"
        message = (
            f"{url}: {fault.reason}, after {number}. See whether the server runs and what its log says; start"
            " it again or set another url, or raise timeout or retries where it is only slow or busy. What"
            " was answered before is kept: start the same job again."
        )
        with self._lock:
            self._num_failed += 1
            if not fault.unreachable and self._num_failed < FAILED_IN_A_ROW and not self._dead:
                return UserError(message)
            self._dead, self._ask_again_at = message, time.monotonic() + PAUSE
            return ServerUnavailable(message)

    def _pause(self, number: int, retry_after: float) -> None:
        """Wait before try ``number + 1``, unless the server is found dead in the meantime."""
        delay = self._config.backoff * 2 ** (number - 1) * random.uniform(0.5, 1.0)
        if self.interrupted.wait(max(delay, min(retry_after, MAX_RETRY_AFTER))):
            raise ServerUnavailable(f"{self.url}: interrupted")
        with self._lock:
            if self._dead:
                raise ServerUnavailable(self._dead)

    def _readable(self, text: str) -> str:
        """A short line of what the server said, without the key."""
        text = " ".join(self._without_key(_message(text)).split())
        return (text if len(text) <= 300 else text[:300] + "...") or "no text"

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _message(said: str) -> str:
    """The message inside an error object of the common servers; else the text itself."""
    try:
        found = json.loads(said)
        while isinstance(found, dict):
            found = next(found[name] for name in ("error", "message", "detail") if name in found)
    except (ValueError, StopIteration, RecursionError):
        return said
    return found if isinstance(found, str) else said


def _advice(status: int) -> str:
    if status in (401, 403):
        return " (set api_key_env to the name of a variable that holds a valid key)"
    if status == 404:
        return " (url must end where the API begins, mostly in /v1, and model must be a name it serves)"
    return " (set url to where the redirect leads)" if status < 400 else ""


def _seconds(retry_after: str) -> float:
    """Seconds of a ``Retry-After`` header, which is a number or a date; 0 where it is neither."""
    try:
        seconds = float(retry_after)
        return seconds if seconds > 0 else 0.0
    except ValueError:
        pass
    try:
        return max(email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _checked_url(url: str) -> str:
    import httpx

    try:
        parts = urlsplit(url)
        usable = bool(httpx.URL(url).host) and (parts.port is None or parts.port > 0)
    except (ValueError, httpx.InvalidURL):
        raise UserError("server.url cannot be read: it must be like http://HOST:PORT/v1") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError(
            "server.url holds a user name, a password, a query or a fragment: give scheme, host, port and"
            " path alone; a key belongs in the variable that api_key_env names"
        )
    if not usable or parts.scheme not in ("http", "https"):
        raise UserError(f"server.url is {url!r}: it must be like http://HOST:PORT/v1")
    return url.rstrip("/")


def _check_numbers(config: ServerChatConfig) -> None:
    bounds = {
        "timeout": 0.001, "retries": 0, "backoff": 0, "max_concurrency": 1, "max_length": 1,
        "max_image_pixels": 1, "top_logprobs": 1,
    }  # fmt: skip
    for name, least in bounds.items():
        value = getattr(config, name)
        if value is not None and not least <= value < float("inf"):
            raise UserError(f"server.{name} is {value}: it must be at least {least}")
    if not config.model:
        raise UserError("server.model is empty: give the name under which the server serves the model")


def _key(variable: str | None) -> str:
    if variable is None:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise UserError(f"server.api_key_env names {variable}, which is not set: export {variable}=KEY")
    if not key.isascii() or not key.isprintable():
        raise UserError(f"the key in {variable} holds characters that no header may hold: export it anew")
    return key
