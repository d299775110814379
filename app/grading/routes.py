"""Routes of grading: the start, the cards, and the four things one can do to a card.

Every act is a form. The page's own script sends it in the background and is answered with
JSON; without it the answer leads to the next card.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from app.accounts.tokens import new_token
from app.assignment import service as assignment
from app.errors import NotFound, SignInNeeded
from app.grading import service as grading
from app.grading.service import Desk
from app.models import Grader
from app.projects.dependencies import Access, GraderDep
from app.web.dependencies import FormNumber, ReadSessionDep, SessionDep
from app.web.htmx import wants_fragment
from app.web.templating import PRIVATE, fragment, page

Key = Annotated[str, Form(min_length=1, max_length=100)]
Note = Annotated[str, Form(max_length=4000)]


def check_outbox(request: Request, access: GraderDep) -> None:
    """Refuse what one person left unsent when another has signed in since (V-038)."""
    given = request.headers.get("x-outbox")
    if given is not None and given != grading.name_outbox(access.project_id, access.person.id):
        raise SignInNeeded("Somebody else is signed in now. Nothing was stored under them.")


router = APIRouter(prefix="/projects/{slug}/grade", dependencies=[Depends(check_outbox)])


def read_grader(access: GraderDep, session: ReadSessionDep) -> Grader | None:
    return assignment.find_grader(session, project_id=access.project_id, user=access.person)


def write_grader(access: GraderDep, session: SessionDep) -> Grader:
    return assignment.grader_of(session, project_id=access.project_id, user=access.person)


ReadingDep = Annotated[Grader | None, Depends(read_grader, scope="function")]
WritingDep = Annotated[Grader, Depends(write_grader, scope="function")]


def _base(access: Access) -> str:
    return f"{access.path}/grade"


def _known(grader: Grader | None) -> Grader:
    if grader is None:
        raise NotFound("There is no such card, or it is not yours.")
    return grader


@router.get("")
def show_start(
    request: Request, access: GraderDep, session: ReadSessionDep, grader: ReadingDep
) -> Response:
    token = grader and grading.current_token(session, access.project_id, grader)
    if token:
        return RedirectResponse(f"{_base(access)}/cards/{token}", status_code=303)
    return page(
        request,
        "grading/start.html",
        active="grade",
        base=_base(access),
        outbox=grading.name_outbox(access.project_id, access.person.id),
        start=grading.look_at_start(session, access.project_id, grader),
        guideline=grading.guideline(session, access.project_id),
    )


@router.post("/start")
def take_next(
    request: Request, access: GraderDep, session: SessionDep, grader: WritingDep
) -> Response:
    desk = grading.next_desk(session, grader)
    return _piece(request, access, desk) if wants_fragment(request) else _go_on(access, desk)


@router.get("/next")
def show_next(
    request: Request, access: GraderDep, session: ReadSessionDep, grader: ReadingDep, after: str
) -> Response:
    desk = grading.desk_after(session, _known(grader), after)
    if desk is None:
        return Response(status_code=204, headers=PRIVATE)
    return _piece(request, access, desk)


@router.get("/cards/{token}")
def show_card(
    request: Request, access: GraderDep, session: ReadSessionDep, grader: ReadingDep, token: str
) -> HTMLResponse:
    desk = grading.desk_at(session, _known(grader), token)
    return page(
        request,
        "grading/desk.html",
        active="grade",
        outbox=grading.name_outbox(access.project_id, access.person.id),
        guideline=grading.guideline(session, access.project_id),
        **_on_desk(access, desk),
    )


@router.get("/cards/{token}/piece")
def show_piece(
    request: Request, access: GraderDep, session: ReadSessionDep, grader: ReadingDep, token: str
) -> HTMLResponse:
    return _piece(request, access, grading.desk_at(session, _known(grader), token))


def _on_desk(access: Access, desk: Desk) -> dict[str, Any]:
    return {
        "base": _base(access),
        "desk": desk,
        "sheet": desk.sheet,
        "reasons": grading.REASONS,
        "key": new_token(),
    }


def _piece(request: Request, access: Access, desk: Desk) -> HTMLResponse:
    return fragment(request, "grading/desk.html", "desk", **_on_desk(access, desk))


def _go_on(access: Access, desk: Desk) -> RedirectResponse:
    onward = f"/cards/{desk.sheet.token}" if desk.sheet else ""
    return RedirectResponse(f"{_base(access)}{onward}", status_code=303)


@router.post("/cards/{token}")
def give_grade(
    request: Request,
    access: GraderDep,
    session: SessionDep,
    grader: WritingDep,
    token: str,
    value: FormNumber,
    key: Key,
    seen: Annotated[str, Form(max_length=100)],
    note: Note = "",
    context_opened: Annotated[bool, Form()] = False,
) -> Response:
    assignment.give_grade(
        session,
        grader=grader,
        token=token,
        value=value,
        key=key,
        note=note.strip() or None,
        context_opened=context_opened,
        seen_hash=seen,
    )
    return _done(request, access, session, grader)


@router.post("/cards/{token}/skip")
def skip(
    request: Request,
    access: GraderDep,
    session: SessionDep,
    grader: WritingDep,
    token: str,
    reason: Annotated[str, Form(max_length=200)],
    key: Key,
) -> Response:
    assignment.skip(session, grader=grader, token=token, reason=reason, key=key)
    return _done(request, access, session, grader)


@router.post("/cards/{token}/note")
def set_note(
    request: Request,
    access: GraderDep,
    session: SessionDep,
    grader: WritingDep,
    token: str,
    key: Key,
    note: Note = "",
) -> Response:
    assignment.set_note(session, grader=grader, token=token, note=note.strip(), key=key)
    return _done(request, access, session, grader, stay=token)


@router.post("/undo")
def undo(
    request: Request, access: GraderDep, session: SessionDep, grader: WritingDep, key: Key
) -> Response:
    token = assignment.withdraw(session, grader=grader, key=key)
    return _done(request, access, session, grader, stay=token)


def _done(
    request: Request,
    access: Access,
    session: SessionDep,
    grader: Grader,
    *,
    stay: str | None = None,
) -> Response:
    """Answer an act: the script hears what is stored, a form is led on."""
    if wants_fragment(request):
        said = {"today": grading.count_today(session, grader), "token": stay}
        return JSONResponse(said, headers=PRIVATE)
    if stay is not None:
        return RedirectResponse(f"{_base(access)}/cards/{stay}", status_code=303)
    return _go_on(access, grading.next_desk(session, grader))
