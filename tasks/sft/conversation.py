"""How a conversation is written and split into tokens, in training and answering: as transformers' processors do it.

The chat template is the language model's own, made to take pictures, else LLaVA-1.5's. The token that begins a text
stands there once: where the template does not write it, the tokenizer adds it. An answer ends with the token that ends
a text, which some templates leave out and a model must learn to write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

IMAGE_TOKEN = "<image>"
TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'user' %}USER: {% else %}ASSISTANT: {% endif %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>\n{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}"
    "{% if message['role'] == 'user' %}\n{% else %}{{ eos_token }}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
"""The conversation as LLaVA 1.5 writes it, for any tokenizer without a template of its own."""
_FLATTEN = (
    "{%- set flat = namespace(messages=[]) -%}"
    "{%- for message in messages -%}"
    "{%- if message['content'] is string -%}"
    "{%- set flat.messages = flat.messages + [message] -%}"
    "{%- else -%}"
    "{%- set said = namespace(text='') -%}"
    "{%- for part in message['content'] -%}"
    "{%- set said.text = said.text + ('<image>\\n' if part['type'] == 'image' else part['text']) -%}"
    "{%- endfor -%}"
    "{%- set flat.messages = flat.messages + [dict(message, content=said.text)] -%}"
    "{%- endif -%}"
    "{%- endfor -%}"
    "{%- set messages = flat.messages -%}"
)
"""Puts before a template of texts: typed content becomes the text that stands for it."""


def choose_template(tokenizer: Any) -> str:
    """The tokenizer's own chat template, for typed content too; that of LLaVA 1.5 where it has none."""
    own = tokenizer.chat_template
    if isinstance(own, dict):
        own = own.get("default")
    return f"{_FLATTEN}{own}" if own else TEMPLATE


def write_prompt(processor: Any, prompt: str, pictures: int) -> str:
    """The user's turn by the processor's chat template; a place in the prompt that names a picture is taken out."""
    return _write(processor, [_describe_user(prompt, pictures)], generates=True)


def write_turns(processor: Any, prompt: str, response: str, pictures: int) -> tuple[str, str]:
    """The user's turn with the beginning of the answer's, and what the model should write then, its end with it."""
    user, said = _describe_user(prompt, pictures), response.strip()
    asked = _write(processor, [user], generates=True)
    answered = {"role": "assistant", "content": [{"type": "text", "text": said}]}
    whole = _write(processor, [user, answered], generates=False)
    # Where a template writes an answer's beginning otherwise than it asks for one, what is asked for counts.
    rest = whole[len(asked) :] if whole.startswith(asked) else whole[whole.rindex(said) :]
    end = str(processor.tokenizer.eos_token)
    return asked, rest if end in rest else rest.rstrip() + end


def tokenize(processor: Any, texts: Sequence[str], images: Any, padding_side: str) -> Any:
    """Texts with their pictures as a model takes them; ``images`` is None where there are none."""
    return processor(
        images=images,
        text=list(texts),
        padding=True,
        padding_side=padding_side,
        return_tensors="pt",
        add_special_tokens=not begins(processor.tokenizer, texts[0]),
    )


def begins(tokenizer: Any, text: str) -> bool:
    """Whether a text has the token that begins it already, so that the tokenizer must not add it."""
    return tokenizer.bos_token is not None and text.startswith(tokenizer.bos_token)


def measure_turns(tokenizer: Any, prompt: str, completion: str) -> tuple[int, int]:
    """Tokens of ``prompt + completion`` with what begins it, and how many of the last of them hold any of the
    completion; a picture's place is one."""
    text = prompt + completion
    read = tokenizer(text, add_special_tokens=not begins(tokenizer, text), return_offsets_mapping=tokenizer.is_fast)
    count = len(read["input_ids"])
    if tokenizer.is_fast:
        return count, sum(end > len(prompt) for _, end in read["offset_mapping"])
    asked = tokenizer(prompt, add_special_tokens=not begins(tokenizer, prompt))["input_ids"]
    pairs = enumerate(zip(read["input_ids"], asked, strict=False))
    return count, count - next((at for at, (one, other) in pairs if one != other), len(asked))


@dataclass(frozen=True)
class Collator:
    """Rows of pictures, prompt, completion and its number of tokens as a batch; loss is on the completion's tokens."""

    processor: Any
    show: Callable[[bytes], Any]
    """A picture's bytes as the processor takes it."""

    def __call__(self, rows: Sequence[dict[str, Any]]) -> Any:
        images = [[self.show(each) for each in row["images"]] for row in rows]
        texts = [row["prompt"] + row["completion"] for row in rows]
        batch = tokenize(self.processor, texts, images if any(images) else None, "right")
        batch.pop("token_type_ids", None)
        labels = batch["input_ids"].clone().fill_(-100)
        for at, end in enumerate(batch["attention_mask"].sum(1).tolist()):
            start = end - rows[at]["answered"]
            labels[at, start:end] = batch["input_ids"][at, start:end]
        batch["labels"] = labels
        return batch


def _describe_user(prompt: str, pictures: int) -> dict[str, Any]:
    text = prompt.replace(IMAGE_TOKEN, "").strip("\n")
    return {"role": "user", "content": [*({"type": "image"} for _ in range(pictures)), {"type": "text", "text": text}]}


def _write(processor: Any, turns: list[dict[str, Any]], generates: bool) -> str:
    written: str = processor.apply_chat_template(turns, tokenize=False, add_generation_prompt=generates)
    return written
