"""Sign in through an OpenID Connect provider, where the installation names one."""

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.errors import AppError, InvalidInput, NotPermitted
from app.services import audit, provider_accounts
from app.services.rate_limits import SIGN_IN_ADDRESS, Use, network_of
from app.web import openid, tries
from app.web.access import ANYONE
from app.web.cookies import sign_in_browser
from app.web.database import database_of
from app.web.forms import FormState
from app.web.head import is_head
from app.web.htmx import redirect
from app.web.templating import render

router = APIRouter()


@router.get("/sign-in/openid", dependencies=[ANYONE])
async def go_to_provider(request: Request, next: str = "") -> Response:  # noqa: A002 - its name in the address
    """Off to the provider; a link and no form, since a form may lead to our own pages only."""
    provider = openid.settings_of(request)
    if provider is None or is_head(request):
        return redirect(request, "/sign-in")
    return await openid.leave(request, provider, next)


@router.get("/sign-in/openid/callback", dependencies=[ANYONE])
async def back_from_provider(request: Request) -> Response:
    """A new session for whom the provider vouches and who is known here; everybody else is told why not."""
    provider = openid.settings_of(request)
    if provider is None or is_head(request):
        return redirect(request, "/sign-in")
    uses = [Use(SIGN_IN_ADDRESS, (network_of(tries.address_of(request)),))]
    await run_in_threadpool(tries.refuse_waiting, request, uses)
    try:
        returned = await openid.come_back(request, provider)
        answer = await run_in_threadpool(_sign_in, request, returned, provider.domain)
    except (NotPermitted, InvalidInput) as refusal:
        await run_in_threadpool(tries.admit, request, uses)
        answer = await run_in_threadpool(_refused, request, refusal)
    openid.forget(answer, request)
    return answer


def _sign_in(request: Request, returned: openid.Returned, domain: str) -> Response:
    address = tries.address_of(request)
    with database_of(request).write() as session:
        user = provider_accounts.find_user(session, returned.vouched, domain)
        answer = redirect(request, returned.onward)
        sign_in_browser(answer, request, session, user_id=user.id)
        audit.record(session, f"user:{user.id}", "signed in", address=address, by="provider")
    return answer


def _refused(request: Request, refusal: AppError) -> Response:
    with database_of(request).write() as session:
        audit.record(session, "anonymous", "sign-in refused", address=tries.address_of(request), by="provider")
    words = " ".join(filter(None, [refusal.message, refusal.remedy]))
    return render(request, "people/sign_in.html", status_code=403, form=FormState(errors={"": words}))
