//! What is known of a storage bucket.

use super::row::{
    Empty::{List, Null},
    Row, contract, seen, unseen,
};
use super::{Member, in_account};
use crate::task::TaskName::{AwsAccount, BucketProbe, CloudAccount};

/// Its name at the provider.
pub const BUCKET_NAME: Member = Member::named("bucket_name");
/// Where the provider keeps it.
pub const REGION: Member = Member::named("region");
/// The provider.
pub const PROVIDER: Member = Member::named("provider");
/// The first of its files.
pub const FOUND_OBJECTS: Member = Member::named("found_objects");
/// It lists its files to anyone.
pub const LISTABLE: Member<bool> = Member::named("hidden_listable");
/// Anyone may read a file of its list.
pub const READABLE: Member<bool> = Member::named("hidden_readable");

/// What is known of a bucket.
pub(super) const MEMBERS: &[Row] = &[
    contract(BUCKET_NAME, Null).by(BucketProbe),
    contract(REGION, Null).by(BucketProbe),
    contract(PROVIDER, Null).by(BucketProbe),
    contract(FOUND_OBJECTS, List).by(BucketProbe),
    unseen("contents", Null).by(BucketProbe),
    seen(LISTABLE, BucketProbe),
    seen(READABLE, BucketProbe),
    seen(in_account::AWS, AwsAccount),
    seen(in_account::CLOUD, CloudAccount),
];
