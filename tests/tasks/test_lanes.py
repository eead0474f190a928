"""What goes on side by side: all of it is made, and the first that fails ends the rest."""

from threading import Event, current_thread

import pytest

from counterfoil.tasks.engine.lanes import run_lanes

PATIENCE_S = 60.0


def test_lanes_go_on_beside_one_another():
    met = {"a": Event(), "b": Event()}

    def meet(name):
        met[name].set()
        assert all(each.wait(PATIENCE_S) for each in met.values())

    run_lanes(meet, ["a", "b"], True, lambda: None)


@pytest.mark.parametrize(("names", "at_once"), [(["a", "b"], False), (["a"], True)])
def test_one_after_another_is_in_this_thread(names, at_once):
    made = []
    run_lanes(lambda name: made.append((name, current_thread())), names, at_once, lambda: None)
    assert made == [(name, current_thread()) for name in names]


def test_what_one_raises_is_raised_while_another_goes_on_and_that_one_is_ended():
    ended, gone = Event(), Event()

    def make(name):
        if name == "b":
            raise ValueError("no such source")
        ended.wait(PATIENCE_S)
        gone.set()

    with pytest.raises(ValueError, match="no such source"):
        run_lanes(make, ["a", "b"], True, ended.set)
    assert gone.wait(PATIENCE_S)
