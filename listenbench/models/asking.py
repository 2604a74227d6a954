"""One request to the model of the running task, so that no key gets into a log and every failure has words.

A service may repeat a key in its reply or its error. Inspect writes both to logs and traces, so they are
cleared where they enter: around the provider's own `generate`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from inspect_ai.model import ChatMessage, Model, ModelCall, ModelOutput, get_model
from tenacity import RetryError

from listenbench.models.secrets import clear_error, redacted, redacted_value, secrets_of

_SHOWN: Final = 300

# Inspect's own messages are written for terminals, in the markup of rich.
_MARKUP: Final = re.compile(r"\[/?(?:bold|italic|underline|dim|red|green|yellow|blue|magenta|cyan)\]")


async def ask_model(messages: Sequence[ChatMessage]) -> ModelOutput:
    """Return the model's reply.

    Raises
    ------
    Exception
        What the provider raised, the last time that the request was repeated; without any key in its texts.
    """
    model = get_model()
    keep_keys(model)
    try:
        return await model.generate([*messages])
    except RetryError as error:
        last = error.last_attempt.exception() or error
        raise last from last.__cause__


def keep_keys(model: Model) -> None:
    """Let a model's replies and errors be cleared of keys before anything else sees them."""
    api = model.api
    if not isinstance(api.generate, _WithoutKeys):
        # The provider's object is the one place that Inspect's events, logs and traces all lie behind.
        api.generate = _WithoutKeys(api.generate, api.api_key)  # type: ignore[method-assign]


class _WithoutKeys:
    def __init__(self, generate: Callable[..., Awaitable[Any]], key: str | None) -> None:
        self._generate = generate
        self._secrets = secrets_of(more=[key] if key else [])

    async def __call__(self, *arguments: Any, **named: Any) -> Any:
        try:
            result = await self._generate(*arguments, **named)
        except Exception as error:
            clear_error(error, self._secrets)
            raise
        if isinstance(result, tuple):
            return tuple(map(self._cleared, result))
        return self._cleared(result)

    def _cleared(self, result: Any) -> Any:
        if isinstance(result, Exception):
            clear_error(result, self._secrets)
        elif isinstance(result, ModelCall):
            result.request = redacted_value(result.request, self._secrets)
            result.response = redacted_value(result.response, self._secrets)
        elif isinstance(result, ModelOutput):
            content = result.model_dump()
            cleared = redacted_value(content, self._secrets)
            return result if cleared == content else ModelOutput.model_validate(cleared)
        return result


def words_of(error: BaseException) -> str:
    """Return what an error says, in one line, with what led to it; without keys."""
    said = [_message(each) for each in (error, error.__cause__) if each is not None]
    text = said[0] if len(said) < 2 or said[1] in said[0] else f"{said[0]} ({said[1]})"
    return one_line(text)


def one_line(text: str) -> str:
    """Return a text in one line that isn't overlong, without keys."""
    line = redacted(" ".join(_MARKUP.sub("", text).split()))
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


def _message(error: BaseException) -> str:
    for name in ("provider_message", "message"):
        text = getattr(error, name, None)
        if isinstance(text, str) and text:
            return text
    text, kind = str(error), type(error).__name__
    # Errors of providers say what happened; those of Python mean little without their names.
    named = isinstance(error, ArithmeticError | AttributeError | LookupError | TypeError | ValueError)
    return f"{kind}: {text}" if named and text else text or kind
