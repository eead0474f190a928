"""What the solver finds is the same whatever it was asked before."""

from __future__ import annotations

import random

import z3

from counterfoil.tasks.theorem.algebra.solver import ask_solver
from counterfoil.tasks.theorem.lean.signature import read_signature, state_problem

LETTERS = "abcdefg"
SQUARES = [at * at for at in range(1, 11)]


def state(names: list[str]) -> str:
    """Seven unknowns with three equations, and a conclusion that does not follow."""
    sums = [" + ".join(f"{SQUARES[at + i]} * {name}" for i, name in enumerate(names)) for at in range(4)]
    given = " ".join(f"(h{at} : {sums[at]} = {value})" for at, value in enumerate((1, 12, 123)))
    return f"theorem t ({' '.join(names)} : ℝ) {given} : {sums[3]} = 335"


def test_a_counterexample_is_the_same_whatever_terms_were_written_before():
    found = set()
    kept = []
    for number in range(4):
        names = [f"{letter}{number}" for letter in LETTERS]
        rng = random.Random(number)
        for name in rng.sample(names, len(names)):
            kept += [z3.Real(name) * square for square in rng.sample(SQUARES, len(SQUARES))]
        answer = ask_solver(state_problem(read_signature(state(names))))
        assert answer.counterexample is not None
        found.add(tuple(answer.counterexample[name] for name in names))
    assert len(found) == 1, found
