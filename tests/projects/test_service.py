import pytest
from sqlalchemy.orm import Session

from app.errors import Conflict, Invalid, NotFound
from app.projects import service
from tests.factories import make_user


@pytest.mark.parametrize("slug", ["", "Shop", "a b", "-shop", "shop-", "x" * 65, "a/b", "ü"])
def test_a_short_name_fits_into_an_address(session: Session, slug: str) -> None:
    with pytest.raises(Invalid):
        service.create_project(session, slug)


def test_two_projects_cannot_share_a_short_name(session: Session) -> None:
    service.create_project(session, "shop")

    with pytest.raises(Conflict):
        service.create_project(session, "shop")


def test_a_person_may_have_several_roles(session: Session) -> None:
    project, ada = service.create_project(session, "shop"), make_user(session)

    service.add_role(session, project, ada, "sme")
    service.add_role(session, project, ada, "admin")
    service.add_role(session, project, ada, "sme")

    assert service.roles_in(session, project.id, ada.id) == {"sme", "admin"}


def test_an_unknown_role_is_refused_and_nothing_changes(session: Session) -> None:
    project, ada = service.create_project(session, "shop"), make_user(session)
    service.add_role(session, project, ada, "sme")

    with pytest.raises(Invalid, match="owner"):
        service.set_roles(session, project, ada, {"owner"})

    assert service.roles_in(session, project.id, ada.id) == {"sme"}


def test_the_cut_stays_once_a_test_split_was_looked_at(session: Session) -> None:
    project = service.create_project(session, "shop")
    service.change_cut(session, project, 2)
    service.fix_cut(session, project)

    service.change_cut(session, project, 2)
    with pytest.raises(Conflict):
        service.change_cut(session, project, 1)


def test_new_words_make_a_new_guideline_and_the_old_one_stays(session: Session) -> None:
    project = service.create_project(session, "shop")
    first = service.guideline(session, project.id)

    service.change_guideline(session, project.id, first.text)
    newer = service.change_guideline(session, project.id, "Read twice.\r\nThen grade.")

    assert (first.version, newer.version) == (1, 2)
    assert service.guideline(session, project.id).text == "Read twice.\nThen grade."


def test_what_happened_is_written_down_with_who_did_it(session: Session) -> None:
    project, ada = service.create_project(session, "shop"), make_user(session)

    service.change_cut(session, project, 3, by=ada.id)

    events = [(event.verb, name) for event, name in service.newest_events(session, project.id)]
    assert events == [("cut", "Ada"), ("created", "command line")]


def test_a_project_that_is_not_there_is_named(session: Session) -> None:
    with pytest.raises(NotFound, match="ghost"):
        service.project_by_slug(session, "ghost")
