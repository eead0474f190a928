"""What two nights say of a larger one."""

from __future__ import annotations

from benchmarks.night.share import extrapolate, fit_line, split_cpu

SMALL = {"anchors": 1000, "cpu_s": {"Prefect server": 20.0, "pool worker": 10.0, "run": 70.0, "S3": 900.0}}
LARGE = {"anchors": 3000, "cpu_s": {"Prefect server": 25.0, "pool worker": 15.0, "run": 160.0, "S3": 900.0}}


def test_orchestration_is_the_server_and_the_worker_and_what_a_cluster_has_elsewhere_is_left_out():
    assert split_cpu(SMALL["cpu_s"]) == (30.0, 100.0)


def test_a_line_goes_through_both_points():
    constant, slope = fit_line(1000, 30, 3000, 40)
    assert (constant + 1000 * slope, constant + 3000 * slope) == (30, 40)


def test_the_share_of_a_larger_night_follows_both_lines_and_is_said_not_to_be_run():
    said = extrapolate(SMALL, LARGE, 100_000)
    # (25 + 0.005 * 100,000) / (50 + 0.05 * 100,000)
    assert "by these lines, not run: 100,000 anchors, 10.4%; without end 10.0%" in said
    assert "1,000 anchors: orchestration 30 of 100 CPU s, 30.0%" in said
