"""Accounts are strangers: nothing that one does shows in what another one sees. `tests/torture/accounts.py` runs longer."""

from hypothesis import HealthCheck, Phase, settings

from two_worlds import TwoAccounts

# Two runs of fifteen operations, the same ones each time: a suite that fails by chance is not believed.
TwoAccounts.TestCase.settings = settings(
    max_examples=2,
    stateful_step_count=15,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


class TestTwoAccounts(TwoAccounts.TestCase):
    """No byte of bob's, and no influence of his on an answer or a score of alice's."""
