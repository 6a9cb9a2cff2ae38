"""The models of the machine: listed for everybody; downloaded, removed and tried by the account of the first key."""

from docqa import records
from docqa.api.auth import may_change_machine
from docqa.api.endpoint import Endpoint, Given
from docqa.errors import Conflict, NotFound, Unavailable
from docqa.services import Services
from docqa.services.machine_records import MachineModels, ModelTest

TAG = "Models of the machine"


async def list_machine_models(services: Services, account: int, given: Given) -> MachineModels:
    """What is here and what can be had; a chat could name the models, too, so that no account learns of another."""
    return await services.models_here.listed(await may_change_machine(services.db, account))


async def pull_model(services: Services, account: int, given: Given) -> records.Message:
    """Begins a download, which goes on when the request has been answered. Raises NotFound, Conflict."""
    name = await services.models_here.pull(given.path["name"])
    return records.Message(f"{name} is being downloaded")


async def cancel_pull(services: Services, account: int, given: Given) -> records.Message:
    """Ends a download. Raises NotFound."""
    name = await services.models_here.cancel(given.path["name"])
    return records.Message(f"The download of {name} is cancelled")


async def remove_model(services: Services, account: int, given: Given) -> records.Message:
    """Deletes a model from the disk. Raises NotFound, Conflict."""
    return records.Message(f"{await services.models_here.remove(given.path['name'])} is removed")


async def test_model(services: Services, account: int, given: Given) -> ModelTest:
    """What a language model says to a short question. Raises NotFound, Conflict, Unavailable."""
    return await services.models_here.test(given.path["name"])


LIST = Endpoint(
    path="/v1/api/machine/models",
    handler=list_machine_models,
    summary="List the models that are here or can be had, and what suits the machine",
    answers=MachineModels,
    tag=TAG,
)
PULL = Endpoint(
    path="/v1/api/machine/models/{name}/download",
    methods=("POST",),
    handler=pull_model,
    summary="Download a model of the catalogue in the background, or go on with it",
    answers=records.Message,
    status=202,
    tag=TAG,
    of_machine=True,
    errors=(NotFound, Conflict),
)
CANCEL = Endpoint(
    path="/v1/api/machine/models/{name}/download",
    methods=("DELETE",),
    handler=cancel_pull,
    summary="Cancel a download; what a hub has sent is kept for the next try",
    answers=records.Message,
    tag=TAG,
    of_machine=True,
    errors=(NotFound,),
)
REMOVE = Endpoint(
    path="/v1/api/machine/models/{name}",
    methods=("DELETE",),
    handler=remove_model,
    summary="Unload a model and delete it from the disk",
    answers=records.Message,
    tag=TAG,
    of_machine=True,
    errors=(NotFound, Conflict),
)
TEST = Endpoint(
    path="/v1/api/machine/models/{name}/test",
    methods=("POST",),
    handler=test_model,
    summary="Ask a language model a short question: what it says, and how fast",
    answers=ModelTest,
    tag=TAG,
    lane="chats",
    of_machine=True,
    errors=(NotFound, Conflict, Unavailable),
)
