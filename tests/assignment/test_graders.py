from sqlalchemy.orm import Session

from app.assignment import service
from tests.assignment.desk import give, make_desk, next_card
from tests.factories import make_project, make_user


def test_a_person_is_one_grader_with_a_pseudonym(session: Session) -> None:
    project = make_project(session)
    ada, bob = make_user(session, "Ada"), make_user(session, "Bob")

    first = service.grader_of(session, project_id=project.id, user=ada)
    again = service.grader_of(session, project_id=project.id, user=ada)
    other = service.grader_of(session, project_id=project.id, user=bob)

    assert first.id == again.id
    assert (first.pseudonym, other.pseudonym) == ("sme-1", "sme-2")
    assert (first.name, first.user_id) == (ada.name, ada.id)


def test_the_grades_of_somebody_who_left_stay_under_the_same_pseudonym(
    session: Session,
) -> None:
    """V-037: people are deactivated, and nothing counts otherwise afterwards."""
    desk = make_desk(session)
    ada = make_user(session)
    grader = service.grader_of(session, project_id=desk.project.id, user=ada)
    give(session, grader, next_card(session, grader), 3)
    before = list(service.current_grades(session, desk.project.id))

    ada.active = False
    session.flush()

    assert list(service.current_grades(session, desk.project.id)) == before
    (sme,) = service.progress(session, desk.project.id).smes
    assert (sme.pseudonym, sme.graded) == ("sme-1", 1)
