"""Batches that are worked on side by side."""

import threading

import pytest

from later import Later

torch, streams = Later("torch"), Later("docqa.models.streams")


def test_each_core_gets_batches_of_alike_lengths_and_no_longer_ones_than_the_other() -> None:
    lengths = [9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert streams.Streams(2).in_batches(list, lengths, 3) == [[9, 7, 5], [8, 6, 4], [3, 1], [2]]
    assert streams.Streams(4).in_batches(list, lengths[:2], 3) == [[9, 8]], "fewer than there are cores"
    assert streams.OneStream().in_batches(list, lengths, 4) == [[9, 8, 7, 6], [5, 4, 3, 2], [1]]
    assert streams.Streams(2).in_batches(list, [], 3) == []


def test_they_are_worked_on_at_the_same_time_each_by_one_thread_of_torch() -> None:
    both, before = threading.Barrier(2, timeout=20), torch.get_num_threads()

    def work(_: object) -> tuple[int, bool]:
        both.wait()
        return torch.get_num_threads(), torch.is_inference_mode_enabled()

    assert streams.Streams(2).in_batches(work, [0, 1], 1) == [(1, True), (1, True)]
    assert torch.get_num_threads() == before


def test_what_one_raises_is_raised() -> None:
    def work(batch: object) -> None:
        raise ValueError(str(batch))

    with pytest.raises(ValueError, match=r"\[1\]"):
        streams.Streams(2).in_batches(work, [1, 2], 1)
