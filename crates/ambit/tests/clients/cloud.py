"""A simulated AWS on loopback, filled in two regions, until the input ends. Says where it is and whose keys there are.
With the argument `services`, most of its services are filled, in three regions; with `organization`, there are more
accounts than one page lists, of which two are active beside the first: one whose role may read, and one whose may not;
with `role`, there is a role that may read and demands an external id, and a user who may take it and no more.

Once filled it demands permissions and valid signatures of every request.
"""

import json
import os
import sys

# Everything that fills it is let through; what is asked afterwards is not.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "1000000"
# Certificates stay unproven for as long as anybody looks.
os.environ["MOTO_ACM_VALIDATION_WAIT"] = "3600"

import boto3
import requests
from moto.server import ThreadedMotoServer
from moto.sts.exceptions import STSClientError
from moto.sts.models import STSBackend

import cloud_services

READS = ["*"]
# All that is read of machines and buckets but the list of buckets.
HALF = ["ec2:Describe*"]


# More than one page of accounts.
CLOSED = 21


def organization(client, url):
    organizations = client("organizations")
    organizations.create_organization(FeatureSet="ALL")
    number = 0

    def account(name):
        nonlocal number
        number += 1
        made = organizations.create_account(Email="a%d@acme.test" % number, AccountName=name)
        return made["CreateAccountStatus"]["AccountId"]

    for closed in range(CLOSED):
        organizations.close_account(AccountId=account("Closed %d" % closed))
    said = {}
    for name, actions in [("open", READS), ("shut", ["iam:ListUsers"])]:
        said[name] = account(name)
        arn = "arn:aws:iam::%s:role/OrganizationAccountAccessRole" % said[name]
        keys = client("sts").assume_role(RoleArn=arn, RoleSessionName="filling")["Credentials"]

        def inside(service):
            return boto3.client(
                service,
                region_name="us-east-1",
                endpoint_url=url,
                aws_access_key_id=keys["AccessKeyId"],
                aws_secret_access_key=keys["SecretAccessKey"],
                aws_session_token=keys["SessionToken"],
            )

        # The provider made the role, which may do everything.
        iam, role = inside("iam"), "OrganizationAccountAccessRole"
        for policy in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]:
            iam.detach_role_policy(RoleName=role, PolicyArn=policy["PolicyArn"])
        for policy in iam.list_role_policies(RoleName=role)["PolicyNames"]:
            iam.delete_role_policy(RoleName=role, PolicyName=policy)
        statement = {"Effect": "Allow", "Action": actions, "Resource": "*"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_role_policy(RoleName=role, PolicyName="reads", PolicyDocument=document)
        said[name + "_address"] = inside("ec2").allocate_address(Domain="vpc")["PublicIp"]
    return said


# What the owner of the role agreed on with its user.
EXTERNAL_ID = "acme-42"


def role(client):
    """Makes a role that may read, and whose trust demands the external id: the simulation does not look at that."""
    iam = client("iam")
    trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
    trust["Condition"] = {"StringEquals": {"sts:ExternalId": EXTERNAL_ID}}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    arn = iam.create_role(RoleName="Guest", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    statement = {"Effect": "Allow", "Action": READS, "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.put_role_policy(RoleName="Guest", PolicyName="reads", PolicyDocument=document)
    assume = STSBackend.assume_role

    def guarded(self, region_name, role_session_name, role_arn, policy, duration, external_id):
        if role_arn == arn and external_id != EXTERNAL_ID:
            raise STSClientError("AccessDenied", "not authorized to perform: sts:AssumeRole")
        return assume(self, region_name, role_session_name, role_arn, policy, duration, external_id)

    STSBackend.assume_role = guarded
    return arn


def main():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    url = "http://127.0.0.1:%d" % server.get_host_and_port()[1]

    def client(service, region="us-east-1"):
        return boto3.client(
            service,
            region_name=region,
            endpoint_url=url,
            aws_access_key_id="filling",
            aws_secret_access_key="filling",
        )

    iam = client("iam")

    def keys(user, actions):
        iam.create_user(UserName=user)
        statement = {"Effect": "Allow", "Action": actions, "Resource": "*"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_user_policy(UserName=user, PolicyName="reads", PolicyDocument=document)
        key = iam.create_access_key(UserName=user)["AccessKey"]
        return {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}

    hosts, addresses = [], []
    for region, count in [("us-east-1", 1), ("eu-west-1", 2)]:
        ec2 = client("ec2", region)
        image = ec2.describe_images()["Images"][0]["ImageId"]
        made = ec2.run_instances(ImageId=image, MinCount=count, MaxCount=count)
        ids = [instance["InstanceId"] for instance in made["Instances"]]
        for reservation in ec2.describe_instances(InstanceIds=ids)["Reservations"]:
            for instance in reservation["Instances"]:
                hosts.append(instance["PublicDnsName"])
                addresses.append(instance["PublicIpAddress"])
    addresses.append(client("ec2", "eu-west-1").allocate_address(Domain="vpc")["PublicIp"])
    s3 = client("s3")
    for bucket in ["acme-files", "acme-logs"]:
        s3.create_bucket(Bucket=bucket)
    said = {
        "url": url,
        "hosts": sorted(hosts),
        "addresses": sorted(addresses),
        "reader": keys("reader", READS),
        "half": keys("half", HALF),
    }
    if "role" in sys.argv:
        said["base"] = keys("base", ["sts:AssumeRole"])
        said["role"] = role(client)
    if "services" in sys.argv:
        said["services"] = cloud_services.fill(client)
    if "organization" in sys.argv:
        said["organization"] = organization(client, url)
    requests.post(url + "/moto-api/reset-auth", data=b"0").raise_for_status()
    print(json.dumps(said), flush=True)
    sys.stdin.read()
    server.stop()


main()
