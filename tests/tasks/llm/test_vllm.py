"""The author against a real vLLM on this CPU: `make test-vllm`, which sets up an environment of its own for it.

The model is a Qwen2 of two layers with random weights, so what it says is noise in the form that vLLM's grammars allow.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest

from counterfoil.prompts import list_prompts, load_prompt
from counterfoil.tasks.llm.asking import Answer, Ask
from counterfoil.tasks.llm.author import open_author
from counterfoil.tasks.llm.errors import AnswerRejected, AuthorUnavailable
from tests.prompts.examples import list_examples
from tests.prompts.test_prompts import VALUES

from .conftest import sum_spending

VLLM = os.environ.get("COUNTERFOIL_VLLM", "")
START_S = 400.0
"""Three processes import torch one after another, 15 CPU seconds each."""
ANSWER_S = 300.0
"""For ten answers of 400 tokens by a model of two layers, which took 34 s on two cores that a load of 17 shared."""
LATE = f"did not answer within {ANSWER_S:g} s"
END_S = 60.0
SMALL = {"VLLM_CPU_KVCACHE_SPACE": "1"}
"""GiB of keys and values. If not told otherwise it takes nine tenths of the machine's memory, and what runs beside it
goes without."""
SERVED = SMALL | {"VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1", "VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
"""No worker beside the engine: on two cores the two wait for each other by spinning, the worker bound to one core."""
IN_JSON = [prompt.id for prompt in list_prompts() if prompt.output == "json"]
LENGTH = 8192
ROOT = Path(__file__).parents[3]

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not VLLM, reason="needs a vLLM of its own: make test-vllm")]
OF_LENGTH = re.compile(r"llm_length|llm_schema: .*(?:should be non-empty|is too short|is too long)")


def save_model(folder: Path) -> Path:
    """A Qwen2 of two layers with random weights, and a tokenizer of bytes that was trained on our prompts."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=["<|im_end|>", "<|im_start|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator([load_prompt(each.id).task for each in list_prompts()], trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>")
    tokenizer.chat_template = (
        "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=LENGTH,
        bos_token_id=None,
        eos_token_id=0,
    )
    transformers.Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("qwen2"))


@pytest.fixture
def server(model: Path, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Its address and its log."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--host", "127.0.0.1", "--port", str(port), "--served-model-name", "tiny", "--enforce-eager"]
    options += ["--dtype", "float32", "--max-model-len", str(LENGTH)]
    log = tmp_path / "vllm.log"
    with running([VLLM, "serve", str(model), *options], SERVED, log) as process:
        until = time.monotonic() + START_S
        while not is_up(f"http://127.0.0.1:{port}/health"):
            if process.poll() is not None or time.monotonic() > until:
                give_up("vLLM did not start", log)
            time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1", log
        print(read_end(log))  # pytest shows it where a test failed


@contextmanager
def running(command: list[str], settings: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own, which is ended with it: vLLM's engine outlives a server that is killed."""
    with log.open("wb") as told:
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | settings, stdout=told, stderr=told, process_group=0
        )
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_S)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(END_S)


def read_end(log: Path) -> str:
    return log.read_text(errors="replace")[-3000:]


def give_up(why: str, log: Path) -> NoReturn:
    """Skip, and show the log: that this machine is too slow or too small for vLLM is no fault of ours."""
    pytest.skip(f"{why}. The end of its log:\n{read_end(log)}")


def is_up(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def test_ten_requests_at_once_are_structured_or_refused_with_reasons_and_usage_adds_up(
    server: tuple[str, Path], tmp_path: Path
) -> None:
    address, log = server
    section: dict[str, Any] = {"kind": "vllm", "model": "tiny", "base_url": address, "max_tokens": 400}
    section |= {"schema_attempts": 0}
    section |= {"temperature": 1.0, "timeout_s": ANSWER_S, "retries": 0, "store": str(tmp_path / "answers.sqlite")}
    author = open_author(section, work=tmp_path)
    assert author is not None
    chosen = [(each, draw) for draw in range(2) for each in IN_JSON][:10]
    asks = [
        Ask(each, {name: VALUES[name] for name in load_prompt(each).variables}, "f", draw=draw) for each, draw in chosen
    ]
    try:
        outcomes = author.ask_many(asks)
        counted = sum_spending(author)
    except AuthorUnavailable as error:
        if LATE not in str(error):
            raise
        give_up(str(error), log)
    finally:
        author.close()
    if late := [each for each in outcomes if isinstance(each, AnswerRejected) and LATE in each.reason]:
        give_up(late[0].reason, log)
    spent = [each.provenance if isinstance(each, AnswerRejected) else each.provenance() for each in outcomes]
    for outcome in outcomes:
        # What is no answer was cut at max_tokens, or is shorter or longer than the schema allows, which the grammar
        # does not know: it lets nothing of another form be said.
        assert isinstance(outcome, Answer) or OF_LENGTH.match(outcome.reason), outcome
    assert all(each.input_tokens > 100 and 0 < each.output_tokens <= 400 for each in spent)
    for name in ("input_tokens", "output_tokens"):
        assert sum(getattr(each, name) for each in counted) == sum(getattr(each, name) for each in spent)


def fill(prompt: str) -> dict[str, Any]:
    return {name: VALUES[name] for name in load_prompt(prompt).variables}


def test_engine_in_this_process_says_each_worked_example_and_answers_under_a_push_to_the_worst_characters(
    model: Path, tmp_path: Path
) -> None:
    """Its grammar stands between the push and what is said: an example that it forbade would come out otherwise."""
    questions = []
    for each in IN_JSON:
        rendered = load_prompt(each).render(fill(each))
        for wanted in list_examples(f"{rendered.system}\n{rendered.user}"):
            questions.append({"prompt": each, "variables": fill(each), "wanted": json.dumps(wanted)})
        questions += [{"prompt": each, "variables": fill(each)}] * 2
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    command = [str(Path(VLLM).with_name("python")), "-m", "tests.tasks.llm.vllm_forced", str(model)]
    log = tmp_path / "vllm.log"
    with running([*command, str(tmp_path / "questions.json"), str(tmp_path / "told.json")], SMALL, log) as process:
        try:
            status = process.wait(START_S)
        except subprocess.TimeoutExpired:
            if not (tmp_path / "told.json").exists():
                give_up(f"vLLM in a process of ours was not done within {START_S:g} s", log)
            # That it ends is what is asked too: its workers are processes of their own.
            status = process.wait(END_S)
    if status != 0 and "vLLM cannot load" in log.read_text(errors="replace"):
        give_up("vLLM did not start in a process of ours", log)
    assert status == 0, read_end(log)
    told = json.loads((tmp_path / "told.json").read_text())
    wrong = [
        (question["prompt"], question["wanted"], answer)
        for question, answer in zip(questions, told, strict=True)
        if "wanted" in question and (answer["why"] or answer["text"] != question["wanted"])
    ]
    assert wrong == [] and sum("wanted" in each for each in questions) >= 2 * len(IN_JSON)
    pushed = [answer for question, answer in zip(questions, told, strict=True) if "wanted" not in question]
    reasons = {each["why"].partition(":")[0] for each in pushed}
    # The whole schema, with its lengths, is ours to check: the grammar knows the form alone.
    assert reasons <= {"", "llm_length", "llm_schema"}, pushed
    assert any(each["why"] == "" for each in pushed)
    assert sum("\\" in each["text"] or "\n" in each["text"] for each in pushed) >= len(pushed) // 2, "none was pushed"
