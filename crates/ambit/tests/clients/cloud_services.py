"""Fills services of a simulated AWS in three regions: in each what is open to everybody, and a twin that is not."""

import io
import json
import zipfile

REGIONS = ["us-east-1", "eu-west-1", "ap-southeast-2"]
ANYBODY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}]}


def fill(client):
    """Returns the names of what was made, by a word for each service."""
    made = {}

    def note(service, name):
        made.setdefault(service, []).append(name)

    once(client, note)
    for region in REGIONS:
        network(client, region, note)
        programs(client, region, note)
        data(client, region, note)
        messages(client, region, note)
    return made


def once(client, note):
    config = {
        "CallerReference": "x",
        "Comment": "",
        "Enabled": True,
        "Aliases": {"Quantity": 1, "Items": ["cdn.acme.test"]},
        "Origins": {
            "Quantity": 2,
            "Items": [
                {"Id": name, "DomainName": name + ".s3.amazonaws.com", "S3OriginConfig": {"OriginAccessIdentity": ""}}
                for name in ["acme-files", "acme-gone"]
            ],
        },
        "DefaultCacheBehavior": {
            "TargetOriginId": "acme-files",
            "ViewerProtocolPolicy": "allow-all",
            "MinTTL": 0,
            "ForwardedValues": {"QueryString": False, "Cookies": {"Forward": "none"}},
        },
    }
    distribution = client("cloudfront").create_distribution(DistributionConfig=config)["Distribution"]
    note("cloudfront", distribution["ARN"])
    route53 = client("route53")
    zone = route53.create_hosted_zone(Name="acme-zone.com", CallerReference="1")["HostedZone"]["Id"]
    record = {"Name": "www.acme-zone.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "203.0.113.9"}]}
    changes = {"Changes": [{"Action": "CREATE", "ResourceRecordSet": record}]}
    route53.change_resource_record_sets(HostedZoneId=zone, ChangeBatch=changes)
    note("route53", "arn:aws:route53:::hostedzone/" + zone.split("/")[-1])
    contact = {
        "FirstName": "a",
        "LastName": "b",
        "ContactType": "COMPANY",
        "OrganizationName": "o",
        "AddressLine1": "x",
        "City": "c",
        "CountryCode": "DE",
        "ZipCode": "1",
        "PhoneNumber": "+49.1234567890",
        "Email": "a@acme-zone.com",
    }
    client("route53domains").register_domain(
        DomainName="acme-zone.com",
        DurationInYears=2,
        AutoRenew=False,
        AdminContact=contact,
        RegistrantContact=contact,
        TechContact=contact,
    )
    note("route53domains", "arn:aws:route53domains::123456789012:domain/acme-zone.com")
    iam = client("iam")
    for name, condition in [("anyone", {}), ("partner", {"StringEquals": {"sts:ExternalId": "acme-42"}})]:
        trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole", "Condition": condition}
        document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        note("iam", iam.create_role(RoleName=name, AssumeRolePolicyDocument=document)["Role"]["Arn"])
    s3 = client("s3")
    s3.put_bucket_acl(Bucket="acme-files", ACL="public-read")
    block = {name: True for name in ["BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"]}
    s3.put_public_access_block(Bucket="acme-logs", PublicAccessBlockConfiguration=block)


def network(client, region, note):
    ec2, elb = client("ec2", region), client("elbv2", region)
    for name, source in [("open", "0.0.0.0/0"), ("office", "198.51.100.0/24")]:
        group = ec2.create_security_group(GroupName=name, Description=name)["GroupId"]
        rule = {"IpProtocol": "tcp", "FromPort": 3306, "ToPort": 3306, "IpRanges": [{"CidrIp": source}]}
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
        note("ec2", "arn:aws:ec2:%s:123456789012:security-group/%s" % (region, group))
    for name, block in [("everybody", "0.0.0.0/0"), ("branches", "198.51.100.0/24")]:
        made = ec2.create_managed_prefix_list(
            PrefixListName=name, MaxEntries=5, AddressFamily="IPv4", Entries=[{"Cidr": block}]
        )
        group = ec2.create_security_group(GroupName=name, Description=name)["GroupId"]
        source = [{"PrefixListId": made["PrefixList"]["PrefixListId"]}]
        rule = {"IpProtocol": "tcp", "FromPort": 6379, "ToPort": 6379, "PrefixListIds": source}
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
        note("ec2", "arn:aws:ec2:%s:123456789012:security-group/%s" % (region, group))
    subnets = [subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]][:2]
    for name, scheme in [("front", "internet-facing"), ("inner", "internal")]:
        balancer = elb.create_load_balancer(Name=name, Subnets=subnets, Scheme=scheme)["LoadBalancers"][0]
        vpc = ec2.describe_vpcs()["Vpcs"][0]["VpcId"]
        group = elb.create_target_group(Name=name, Protocol="HTTP", Port=80, VpcId=vpc)["TargetGroups"][0]
        actions = [{"Type": "forward", "TargetGroupArn": group["TargetGroupArn"]}]
        elb.create_listener(
            LoadBalancerArn=balancer["LoadBalancerArn"], Protocol="HTTP", Port=80, DefaultActions=actions
        )
        note("elasticloadbalancing", balancer["LoadBalancerArn"])
    listeners = [{"Protocol": "HTTP", "LoadBalancerPort": 80, "InstancePort": 80}]
    zones = [region + "a"]
    client("elb", region).create_load_balancer(LoadBalancerName="old", Listeners=listeners, AvailabilityZones=zones)
    note("elasticloadbalancing", "arn:aws:elasticloadbalancing:%s:123456789012:loadbalancer/old" % region)
    acm = client("acm", region)
    note("acm", acm.request_certificate(DomainName="shop.acme-zone.com")["CertificateArn"])


def programs(client, region, note):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("f.py", "def h(event, context): return 1")
    trust = {"Version": "2012-10-17", "Statement": []}
    role = "arn:aws:iam::123456789012:role/runs"
    if region == REGIONS[0]:
        client("iam").create_role(RoleName="runs", AssumeRolePolicyDocument=json.dumps(trust))
    functions = client("lambda", region)
    for name, authentication in [("hook", "NONE"), ("guarded", "AWS_IAM"), ("quiet", None)]:
        code = {"ZipFile": archive.getvalue()}
        function = functions.create_function(
            FunctionName=name, Runtime="python3.12", Role=role, Handler="f.h", Code=code
        )
        note("lambda", function["FunctionArn"])
        if authentication:
            functions.create_function_url_config(FunctionName=name, AuthType=authentication)
    ecr = client("ecr", region)
    for name in ["shown", "kept"]:
        note("ecr", ecr.create_repository(repositoryName=name)["repository"]["repositoryArn"])
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "ecr:*"}]}
    ecr.set_repository_policy(repositoryName="shown", policyText=json.dumps(policy))
    subnets = [subnet["SubnetId"] for subnet in client("ec2", region).describe_subnets()["Subnets"]][:2]
    access = {"subnetIds": subnets, "endpointPublicAccess": True, "publicAccessCidrs": ["0.0.0.0/0"]}
    note("eks", client("eks", region).create_cluster(name="k", roleArn=role, resourcesVpcConfig=access)["cluster"]["arn"])
    containers(client, region, subnets[0], note)
    beanstalk = client("elasticbeanstalk", region)
    beanstalk.create_application(ApplicationName="a")
    stack = "64bit Amazon Linux 2 v3.1 running Python 3.8"
    environment = beanstalk.create_environment(ApplicationName="a", EnvironmentName="prod", SolutionStackName=stack)
    note("elasticbeanstalk", environment["EnvironmentArn"])
    interface = client("appsync", region).create_graphql_api(name="g", authenticationType="API_KEY")
    note("appsync", interface["graphqlApi"]["arn"])
    project = client("codebuild", region).create_project(
        name="build",
        source={"type": "GITHUB", "location": "https://github.com/acme/app"},
        artifacts={"type": "NO_ARTIFACTS"},
        environment={"type": "LINUX_CONTAINER", "image": "x", "computeType": "BUILD_GENERAL1_SMALL"},
        serviceRole=role,
    )
    note("codebuild", project["project"]["arn"])


def containers(client, region, subnet, note):
    ecs, ec2 = client("ecs", region), client("ec2", region)
    note("ecs", ecs.create_cluster(clusterName="shop")["cluster"]["clusterArn"])
    ecs.register_task_definition(family="web", containerDefinitions=[{"name": "c", "image": "x", "memory": 128}])
    service = ecs.create_service(cluster="shop", serviceName="web", taskDefinition="web", desiredCount=1)["service"]
    note("ecs", service["serviceArn"])
    # A task with a public address has it at an interface, which says what it is attached to.
    attachment = "arn:aws:ecs:%s:123456789012:attachment/2b1c" % region
    interface = ec2.create_network_interface(SubnetId=subnet, Description=attachment)["NetworkInterface"]
    address = ec2.allocate_address(Domain="vpc")
    ec2.associate_address(AllocationId=address["AllocationId"], NetworkInterfaceId=interface["NetworkInterfaceId"])
    note("ecs", attachment)
    note("ecs_addresses", address["PublicIp"])


def data(client, region, note):
    ec2, rds = client("ec2", region), client("rds", region)
    volume = ec2.create_volume(AvailabilityZone=region + "a", Size=8)["VolumeId"]
    snapshot = ec2.create_snapshot(VolumeId=volume)["SnapshotId"]
    note("ec2", "arn:aws:ec2:%s:123456789012:snapshot/%s" % (region, snapshot))
    for name, public in [("orders", True), ("wages", False)]:
        database = rds.create_db_instance(
            DBInstanceIdentifier=name,
            DBInstanceClass="db.t3.micro",
            Engine="postgres",
            PubliclyAccessible=public,
            AllocatedStorage=10,
            MasterUsername="u",
            MasterUserPassword="password1",
        )
        note("rds", database["DBInstance"]["DBInstanceArn"])
        rds.create_db_snapshot(DBSnapshotIdentifier=name + "-1", DBInstanceIdentifier=name)
    rds.modify_db_snapshot_attribute(DBSnapshotIdentifier="orders-1", AttributeName="restore", ValuesToAdd=["all"])
    cache = {"Engine": "redis", "NumCacheNodes": 1, "CacheNodeType": "cache.t3.micro"}
    client("elasticache", region).create_cache_cluster(CacheClusterId="cache", **cache)
    note("elasticache", "arn:aws:elasticache:%s:123456789012:cluster:cache" % region)
    memory = client("memorydb", region).create_cluster(ClusterName="m", NodeType="db.t4g.small", ACLName="open-access")
    note("memorydb", memory["Cluster"]["ARN"])
    search = client("opensearch", region).create_domain(DomainName="logs", AccessPolicies=json.dumps(ANYBODY))
    note("es", search["DomainStatus"]["ARN"])
    client("redshift", region).create_cluster(
        ClusterIdentifier="dw",
        NodeType="ds2.xlarge",
        MasterUsername="u",
        MasterUserPassword="Password1",
        PubliclyAccessible=True,
    )
    note("redshift", "arn:aws:redshift:%s:123456789012:cluster:dw" % region)
    machine = client("dms", region).create_replication_instance(
        ReplicationInstanceIdentifier="r", ReplicationInstanceClass="dms.t3.micro", PubliclyAccessible=True
    )
    note("dms", machine["ReplicationInstance"]["ReplicationInstanceArn"])


def messages(client, region, note):
    sqs = client("sqs", region)
    for name, policy in [("jobs", ANYBODY), ("pay", None)]:
        attributes = {"Policy": json.dumps(policy)} if policy else {}
        sqs.create_queue(QueueName=name, Attributes=attributes)
        note("sqs", "arn:aws:sqs:%s:123456789012:%s" % (region, name))
    note("sns", client("sns", region).create_topic(Name="news")["TopicArn"])
    broker = client("mq", region).create_broker(
        AutoMinorVersionUpgrade=True,
        BrokerName="b",
        DeploymentMode="SINGLE_INSTANCE",
        EngineType="ACTIVEMQ",
        EngineVersion="5.17",
        HostInstanceType="mq.t3.micro",
        PubliclyAccessible=True,
        Users=[{"Username": "a", "Password": "passwordpassword"}],
    )
    note("mq", broker["BrokerArn"])
    subnets = [subnet["SubnetId"] for subnet in client("ec2", region).describe_subnets()["Subnets"]][:2]
    nodes = {"ClientSubnets": subnets, "InstanceType": "kafka.m5.large"}
    kafka = client("kafka", region).create_cluster(
        BrokerNodeGroupInfo=nodes, ClusterName="k", KafkaVersion="3.5.1", NumberOfBrokerNodes=2
    )
    note("kafka", kafka["ClusterArn"])
    server = client("transfer", region).create_server(Protocols=["FTP", "SFTP"], EndpointType="PUBLIC")["ServerId"]
    note("transfer", "arn:aws:transfer:%s:123456789012:server/%s" % (region, server))
