"""Which models can be named."""

from docqa import records
from docqa.api.endpoint import Endpoint, Given
from docqa.services import Services


async def list_models(services: Services, account: int, given: Given) -> list[records.Model]:
    """The models that a chat can name."""
    return services.models()


LIST = Endpoint(
    path="/v1/api/models",
    methods=("GET", "POST"),
    handler=list_models,
    summary="List the models",
    answers=list[records.Model],
    tag="Models",
)
