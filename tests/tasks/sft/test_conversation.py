"""Tokens of a conversation are those of transformers' own processors, in training and answering."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.needing import skip_without

skip_without("trl", reason="tuning needs an extra: pip install 'counterfoil[sft]'")

import transformers
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers

from counterfoil.storage.pictures import open_picture
from counterfoil.tasks.sft.conversation import (
    Collator,
    choose_template,
    measure_turns,
    tokenize,
    write_prompt,
    write_turns,
)
from tests.tasks.sft import released
from tests.tasks.sft.pictures import draw_png

TEXTS = [
    "USER: What is it? ASSISTANT: yes no",
    "How many sides has the polygon? There are 12.",
    "system user assistant",
]
LLAVA_15 = (
    "{% for message in messages %}{% if message['role'] != 'system' %}{{ message['role'].upper() + ': ' }}{% endif %}"
    "{% for part in message['content'] | selectattr('type', 'equalto', 'image') %}{{ '<image>\n' }}{% endfor %}"
    "{% for part in message['content'] | selectattr('type', 'equalto', 'text') %}{{ part['text'] + ' ' }}{% endfor %}"
    "{% endfor %}{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
)
"""As LLaVA-1.5's processor writes a conversation: without what begins a text, and without what ends an answer."""
CHATML = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nBe of help<|im_end|>\n' }}{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""An instruct model's own, of texts alone."""
BOS_CHAT = (
    "{{ bos_token }}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] | trim }}{{ eos_token }}"
    "{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"
)


def make_llama(template: str | None = None, *, end: str = "</s>", begins: bool = True) -> Any:
    """A tokenizer of Llama's class, learnt of a few texts, none of whose pieces goes over a space, as Llama's own."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.Metaspace(split=True)
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    raw.train_from_iterator(TEXTS * 4, trainers.BpeTrainer(vocab_size=400, special_tokens=special, show_progress=False))
    learnt = json.loads(raw.to_str())["model"]
    tokenizer = transformers.LlamaTokenizer(learnt["vocab"], [tuple(each) for each in learnt["merges"]])
    tokenizer.add_tokens([AddedToken(each, special=True) for each in ("<|im_start|>", end, "<image>", "<pad>")], True)
    tokenizer.pad_token, tokenizer.eos_token = "<pad>", end
    tokenizer.add_bos_token = begins
    tokenizer.chat_template = template
    return tokenizer


def make_processor(tokenizer: Any, template: str, *, tiles: bool = False) -> Any:
    side = released.SIDE
    sizes = {"size": {"shortest_edge": side}, "crop_size": {"height": side, "width": side}}
    more = {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    if tiles:
        images = transformers.LlavaNextImageProcessorPil(**sizes, image_grid_pinpoints=[[side, 2 * side]])
        return transformers.LlavaNextProcessor(images, tokenizer, chat_template=template, **more)
    images = transformers.CLIPImageProcessorPil(**sizes)
    return transformers.LlavaProcessor(images, tokenizer, chat_template=template, **more)


PROCESSORS = {
    "LLaVA-1.5": lambda: make_processor(make_llama(), LLAVA_15),
    "LLaVA-NeXT, template with <s>": lambda: make_processor(make_llama(), released.TEMPLATE, tiles=True),
    "LLaVA-NeXT, template without": lambda: make_processor(make_llama(), LLAVA_15, tiles=True),
    "parts without a template": lambda: make_processor(make_llama(), choose_template(make_llama())),
    "parts of an instruct model": lambda: make_processor(
        make_llama(CHATML, end="<|im_end|>", begins=False), choose_template(make_llama(CHATML))
    ),
    "parts of one that writes <s>": lambda: make_processor(make_llama(BOS_CHAT), choose_template(make_llama(BOS_CHAT))),
}
PICTURE = open_picture(draw_png(1, (released.SIDE, released.SIDE)))


@pytest.fixture(params=PROCESSORS)
def processor(request: pytest.FixtureRequest) -> Any:
    return PROCESSORS[request.param]()


def describe(*turns: tuple[str, str, int]) -> list[dict[str, Any]]:
    return [
        {
            "role": role,
            "content": [*({"type": "image", "image": PICTURE} for _ in range(n)), {"type": "text", "text": text}],
        }
        for role, text, n in turns
    ]


def read_ids(processor: Any, turns: list[dict[str, Any]], **given: Any) -> list[int]:
    """The tokens that the processor itself makes of a conversation."""
    read = processor.apply_chat_template(turns, tokenize=True, return_dict=True, return_tensors="pt", **given)
    return read["input_ids"][0].tolist()


@pytest.mark.parametrize("pictures", [0, 1, 2])
def test_what_is_asked_has_the_processors_own_tokens(processor: Any, pictures: int) -> None:
    text = write_prompt(processor, "<image>\nWhat is it?", pictures)
    images = [PICTURE] * pictures or None
    ours = tokenize(processor, [text], images, "left")["input_ids"][0].tolist()
    assert ours == read_ids(processor, describe(("user", "What is it?", pictures)), add_generation_prompt=True)
    start = processor.tokenizer.bos_token_id
    assert ours.count(start) == ("<|im_start|>" not in text) == (ours[0] == start)


def test_a_row_has_the_processors_own_tokens_and_loss_on_the_answer_with_its_end(processor: Any) -> None:
    tokenizer = processor.tokenizer
    rows: list[dict[str, Any]] = []
    counted = []
    for response, pictures in ((" yes ", 1), ("There are 12.", 2), ("no", 1)):
        prompt, completion = write_turns(processor, "What is it?", response, pictures)
        tokens, answered = measure_turns(tokenizer, prompt, completion)
        rows.append({"prompt": prompt, "completion": completion, "images": [b""] * pictures, "answered": answered})
        counted.append(tokens)
    batch = Collator(processor, lambda _: PICTURE)(rows)
    for at, (response, pictures) in enumerate((("yes", 1), ("There are 12.", 2), ("no", 1))):
        length = int(batch["attention_mask"][at].sum())
        ours = batch["input_ids"][at, :length].tolist()
        turns = describe(("user", "What is it?", pictures), ("assistant", response, 0))
        theirs = read_ids(processor, turns)
        written = processor.apply_chat_template(turns, tokenize=False)
        if tokenizer.eos_token not in written[len(rows[at]["prompt"]) :]:
            theirs = read_ids_of(processor, written.rstrip() + tokenizer.eos_token, pictures)
        assert ours == theirs
        labels = batch["labels"][at]
        told = tokenizer.decode(labels[labels >= 0])
        assert told.replace(tokenizer.eos_token, "").strip() == response and tokenizer.eos_token in told
        assert length == counted[at] + ours.count(processor.image_token_id) - pictures


def read_ids_of(processor: Any, text: str, pictures: int) -> list[int]:
    read = processor(images=[PICTURE] * pictures, text=[text], return_tensors="pt")
    return read["input_ids"][0].tolist()


def test_template_of_texts_takes_typed_content_and_keeps_what_it_writes() -> None:
    tokenizer = make_llama(CHATML)
    plain = [{"role": "user", "content": "<image>\nHow many?"}, {"role": "assistant", "content": "12"}]
    typed = describe(("user", "How many?", 1), ("assistant", "12", 0))
    wanted = tokenizer.apply_chat_template(plain, tokenize=False)
    tokenizer.chat_template = choose_template(tokenizer)
    assert tokenizer.apply_chat_template(typed, tokenize=False) == wanted
    assert tokenizer.apply_chat_template(plain, tokenize=False) == wanted


def test_processor_that_was_saved_makes_the_same_tokens(processor: Any, tmp_path: Path) -> None:
    processor.save_pretrained(tmp_path)
    again = transformers.AutoProcessor.from_pretrained(tmp_path)
    text = write_prompt(processor, "What is it?", 1)
    assert write_prompt(again, "What is it?", 1) == text
    ours, theirs = (tokenize(each, [text], [PICTURE], "left")["input_ids"].tolist() for each in (processor, again))
    assert ours == theirs
