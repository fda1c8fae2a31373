//! Invitations to projects and groups: a person comes in by accepting, and leaves by oneself.

use crate::call::{Asking, Call};
use crate::failure::About;
use crate::path::InvitationId;
use crate::present::projects::project;
use crate::query::query;
use ambit_api::people::{Invitation, InvitedRole};
use ambit_api::words::Word;
use ambit_api::{ApiError, Envelope, Result, copied, success};

const NOUN: &str = "Invitation";
const GROUP: &str = "Group";

query! { Whose:
    sent: Boolean = "true: those to projects that the caller owns and groups that the caller administers instead.",
}

/// List the caller's unanswered invitations to projects and groups.
pub(crate) async fn list(call: Asking<Whose>) -> Result<Envelope<Vec<Invitation>>> {
    let store = call.store();
    let sent = match Whose::sent(&call).text {
        None | Some("" | "false") => false,
        Some("true") => true,
        Some(_) => return Err(ApiError::invalid("sent must be true or false")),
    };
    let found = match sent {
        true => store.list_sent_invitations(call.caller()).await,
        false => store.list_invitations(call.caller()).await,
    };
    Ok(success("Invitations", found.about(NOUN)?.into_iter().map(shown).collect()))
}

fn shown(of: ambit_store::Invitation) -> Invitation {
    copied! {
        Invitation from of { id, uuid, name, invited_by, created_at }
        kind: Word(of.kind),
        role: InvitedRole(of.role),
        username: of.user.username,
        email: of.user.email,
    }
}

/// Accept an invitation and join the project or group.
pub(crate) async fn accept(call: Call) -> Result<Envelope<bool>> {
    let id = InvitationId::of(&call)?;
    call.store().accept_invitation(call.caller(), id).await.about(NOUN)?;
    Ok(success("Invitation accepted", true))
}

/// Decline an invitation, or withdraw one to a project that the caller owns or a group that the caller administers.
pub(crate) async fn end(call: Call) -> Result<Envelope<bool>> {
    let id = InvitationId::of(&call)?;
    call.store().end_invitation(call.caller(), id).await.about(NOUN)?;
    Ok(success("Invitation ended", true))
}

/// Leave a project. The last owner cannot.
pub(crate) async fn leave_project(call: Call) -> Result<Envelope<bool>> {
    let project = project(&call).await?;
    call.store().leave_project(call.caller(), project).await.about("Project")?;
    Ok(success("Project left", true))
}

/// Leave a group.
pub(crate) async fn leave_group(call: Call) -> Result<Envelope<bool>> {
    let caller = call.caller();
    let group = call.store().group_account(call.parameter("group")).await.about(GROUP)?.group;
    if !caller.groups().contains(&group.id) {
        return Err(ApiError::not_found(GROUP));
    }
    call.store().leave_group(caller, &group.name, caller.user_id(), false).await.about(GROUP)?;
    Ok(success("Group left", true))
}
