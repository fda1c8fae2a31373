//! Access to functions and interfaces: who may call them, and whether callers must authenticate.

use super::*;
use ambit_model::moment::DAY_MS;

/// How long a key of a service account may be used, in milliseconds.
const KEY_MS: i64 = 90 * DAY_MS;

/// Routes of a gateway that a sentence names.
const ROUTES_NAMED: usize = 5;
/// Routes of a gateway that a proof lists.
const ROUTES_MAX: usize = 100;

/// Whether a gateway has routes at which nobody is asked who they are, neither by an authoriser nor by a key, and its
/// policy keeps nobody out. What browsers ask before a request across origins (OPTIONS) is asked without either.
fn asks_nobody(thing: &Thing<'_>) -> Weighed {
    let (routes, policy, sort) = (thing.said("routes"), thing.said("policy"), thing.text("sort"));
    if thing.is("has_policy") && !policy.is_object() {
        return Weighed::Unknown;
    }
    // Whoever connects by WebSocket is asked then and at no message.
    let is_asked = |name: &str| if sort == "WEBSOCKET" { name == "$connect" } else { !name.starts_with("OPTIONS") };
    let mut open = BTreeSet::new();
    for route in each(&routes) {
        let path = route["path"].as_str().unwrap_or_default();
        // Those of REST have methods within a route.
        for part in each(&route["methods"]).chain([route]) {
            let name = format!("{} {path}", part["method"].as_str().unwrap_or_default()).trim().to_owned();
            if part["authentication"] == "NONE" && part["by_key"] != true && is_asked(&name) {
                open.insert(name);
            }
        }
    }
    if open.is_empty() || (policy.is_object() && open_statements(&policy).is_empty()) {
        return Weighed::Nothing;
    }
    let named: Vec<String> = open.iter().take(ROUTES_NAMED).map(|name| look::shown(name)).collect();
    let more = match open.len().saturating_sub(ROUTES_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let found = Found::from(format!("Nobody is asked who they are at {}{more}.", named.join(", ")));
    Weighed::Found(found.by("routes", open.into_iter().take(ROUTES_MAX).collect()))
}

/// A finding where a service answers at ports of nodes that have public addresses. What firewalls before them do is not
/// known.
fn answers_at_nodes(thing: &Thing<'_>) -> Finding {
    let ports = thing.texts("node_ports").join(", ");
    (!ports.is_empty() && !thing.is_not("nodes_outside")).then(|| Found {
        confidence: Some(Confidence::Potential),
        ..format!("It answers at port {ports} of every node, and nodes of the cluster have public addresses.").into()
    })
}

/// A finding where the trust of a role lets programs of strangers take it.
fn lets_programs(thing: &Thing<'_>) -> Finding {
    let trust = thing.said("policy");
    let open = open_to_programs(&trust);
    let (number, service) = open.first()?;
    let sentence =
        format!("Programs of every customer of {service} may take the role by statement {number} of its trust.");
    let statements: Vec<Value> =
        open.iter().map(|(number, service)| json!({"statement": number, "service": service})).collect();
    Some(Found::from(sentence).by("statements", json!(statements)))
}

misconfigurations! {
    cloud_gateway_without_authentication {
        pretty_name: "API gateway accepts unauthenticated requests",
        severity: SEVERITY_LOW,
        added: "2026-11-28",
        of: ["interface gateway"],
        needs: "routes sort deployed",
        description: "The gateway is on the internet and has routes that require neither a login nor a key. Unless the \
                      program behind them checks the caller, anybody can use its permissions, at its owner's cost.",
        remediation: "Give the routes an authoriser or require signed requests (AWS_IAM), unless they are meant for \
                      everybody or the program behind them checks the caller.",
        reference: "https://docs.aws.amazon.com/apigateway/latest/developerguide/\
                    apigateway-control-access-to-api.html",
        finds: |thing, date| asks_nobody(thing),
        reports: json!([
            {"sort": "REST", "deployed": "yes", "has_policy": false, "policy": null, "routes": [
                {"path": "/orders", "methods": [{"method": "GET", "authentication": "NONE", "by_key": false}]}]},
            {"sort": "REST", "deployed": "yes", "has_policy": true,
                "policy": {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "execute-api:Invoke"}]},
                "routes": [{"path": "/", "methods": [{"method": "ANY", "authentication": "NONE", "by_key": false}]}]},
            {"sort": "HTTP", "deployed": "yes", "routes": [
                {"path": "$default", "authentication": "NONE", "by_key": false}]},
            {"sort": "WEBSOCKET", "deployed": "yes", "routes": [
                {"path": "$connect", "authentication": "NONE", "by_key": false}]},
        ]),
        near_miss: json!([
            {"sort": "REST", "deployed": "yes", "routes": [{"path": "/orders", "methods": [
                {"method": "OPTIONS", "authentication": "NONE", "by_key": false},
                {"method": "GET", "authentication": "NONE", "by_key": true},
                {"method": "PUT", "authentication": "AWS_IAM", "by_key": false}]}]},
            {"sort": "REST", "deployed": "yes", "has_policy": true, "policy": {"Statement": [{"Effect": "Allow",
                "Principal": "*", "Condition": {"IpAddress": {"aws:SourceIp": "198.51.100.0/24"}}}]},
                "routes": [{"path": "/", "methods": [{"method": "ANY", "authentication": "NONE", "by_key": false}]}]},
            {"sort": "HTTP", "deployed": "yes", "routes": [
                {"path": "GET /x", "authentication": "JWT", "by_key": false},
                {"path": "OPTIONS /{proxy+}", "authentication": "NONE", "by_key": false}]},
            {"sort": "WEBSOCKET", "deployed": "yes", "routes": [
                {"path": "$connect", "authentication": "CUSTOM", "by_key": false},
                {"path": "$default", "authentication": "NONE", "by_key": false}]},
        ]),
        unknown: json!([
            {"sort": "HTTP", "routes": [{"path": "$default", "authentication": "NONE", "by_key": false}]},
            {"deployed": "yes", "routes": [{"path": "$default", "authentication": "NONE", "by_key": false}]},
            {"sort": "REST", "deployed": "yes", "has_policy": true, "policy": null, "routes": []},
        ]),
    }
    cloud_function_without_authentication {
        pretty_name: "Function can be called without authentication",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["function"],
        needs: "url_authentication",
        description: "The function has a URL at which everybody can call it. Unless its code checks the caller, \
                      anybody can use its permissions, at its owner's cost.",
        remediation: "Require authentication by the provider (AWS_IAM), put a gateway in front of the function, or \
                      check the caller in its code.",
        reference: "https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html",
        finds: |thing, date| once(
            thing.text("url_authentication") == "NONE",
            "The URL of the function asks nobody who they are.",
        ),
        reports: json!({"url_authentication": "NONE"}),
        near_miss: json!({"url_authentication": "AWS_IAM"}),
    }
    cloud_function_open_to_everybody {
        pretty_name: "Google Cloud function is open to everybody",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-27",
        of: ["function"],
        needs: "ingress",
        description: "The policy of the function grants rights to everybody, or to everybody with a Google account, \
                      and the function accepts requests from the internet. Unless its code checks the caller, anybody \
                      can use its permissions, at its owner's cost.",
        remediation: "Remove allUsers and allAuthenticatedUsers from the policy and name who may call, or put a \
                      gateway in front of the function.",
        reference: "https://cloud.google.com/functions/docs/securing/managing-access-iam",
        finds: |thing, date| roles_for_everybody(thing)
            .filter(|_| thing.text("ingress") != "ALLOW_INTERNAL_ONLY" && !thing.is("by_event")),
        reports: json!([
            {"ingress": "ALLOW_ALL", "granted": [{"role": "roles/cloudfunctions.invoker"}]},
            {"ingress": "ALLOW_ALL", "by_event": false, "granted": [{"role": "roles/cloudfunctions.invoker"}]},
        ]),
        near_miss: json!([
            {"ingress": "ALLOW_ALL", "granted": []},
            {"ingress": "ALLOW_INTERNAL_ONLY", "granted": [{"role": "roles/cloudfunctions.invoker"}]},
            {"ingress": "ALLOW_ALL", "by_event": true, "granted": [{"role": "roles/cloudfunctions.invoker"}]},
        ]),
    }
    cloud_application_open_to_everybody {
        pretty_name: "Cloud Run service is open to everybody",
        severity: SEVERITY_INFO,
        added: "2026-11-27",
        of: ["application"],
        needs: "url",
        description: "The policy of the service lets everybody, or everybody with a Google account, call it. That is \
                      right for a public site, and wrong for an internal API.",
        remediation: "Remove allUsers and allAuthenticatedUsers from the policy and name who may call, unless the \
                      service is meant for everybody.",
        reference: "https://cloud.google.com/run/docs/securing/managing-access",
        finds: |thing, date| roles_for_everybody(thing),
        reports: json!({"url": "https://shop-1.a.run.app", "granted": [{"role": "roles/run.invoker"}]}),
        near_miss: json!({"url": "https://shop-1.a.run.app", "granted": []}),
    }
    cloud_old_service_key {
        pretty_name: "Service account key is old",
        severity: SEVERITY_LOW,
        added: "2026-11-27",
        of: ["service account key"],
        needs: "created",
        description: "The key was created more than 90 days ago and still has all rights of its service account. \
                      Whoever has found it in a file, a repository or a log since then can use it.",
        remediation: "Create a new key, start using it, and delete the old one; or let programs work without keys, by \
                      the identity of the machine or by federation.",
        reference: "https://cloud.google.com/iam/docs/best-practices-for-managing-service-account-keys",
        finds: |thing, date| once(
            moment(&thing.text("created")).is_some_and(|made| date.0 - made.0 > KEY_MS),
            "The key was made more than 90 days ago.",
        ),
        reports: json!({"created": "2026-01-01T00:00:00Z"}),
        near_miss: json!({"created": "2026-05-01T00:00:00Z"}),
    }
    cloud_role_open_to_anyone {
        pretty_name: "Role can be assumed by everybody",
        severity: SEVERITY_HIGH,
        added: "2026-11-28",
        of: ["role"],
        needs: "policy",
        description: "The trust policy of the role allows everybody without a condition. Whoever has an account at the \
                      provider can assume the role by its name, which is no secret, and then has its rights in your \
                      account.",
        remediation: "Name the accounts that need the role in its trust policy, and require an external id of those \
                      that are not yours. Check the logs for who has assumed it.",
        reference: "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html",
        finds: |thing, date| lets_everybody(thing, "the role"),
        reports: json!({"policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"},
            "Action": "sts:AssumeRole"}]}}),
        near_miss: json!([
            {"policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole",
                "Condition": {"StringEquals": {"sts:ExternalId": "acme-42"}}}]}},
            {"policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole",
                "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}}]}},
        ]),
    }
    cloud_role_open_to_programs {
        pretty_name: "Role can be assumed by workloads of other customers",
        severity: SEVERITY_HIGH,
        added: "2026-11-28",
        of: ["role"],
        needs: "policy",
        description: "The trust policy of the role accepts identities from a service that runs workloads for all its \
                      customers, without checking whose workload it is. Another customer's workload can assume the \
                      role and then has its rights in your account.",
        remediation: "Add a condition on the claim that names your organisation or repository (sub), besides the one \
                      on the audience. Check the logs for who has assumed the role.",
        reference: "https://docs.github.com/en/actions/security-for-github-actions/\
                    security-hardening-your-deployments/configuring-openid-connect-in-amazon-web-services",
        finds: |thing, date| lets_programs(thing),
        reports: json!({"policy": {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity",
            "Principal": {"Federated": "arn:aws:iam::1:oidc-provider/token.actions.githubusercontent.com"},
            "Condition": {"StringEquals": {"token.actions.githubusercontent.com:aud": "sts.amazonaws.com"}}}]}}),
        near_miss: json!({"policy": {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity",
            "Principal": {"Federated": "arn:aws:iam::1:oidc-provider/token.actions.githubusercontent.com"},
            "Condition": {"StringLike": {"token.actions.githubusercontent.com:sub": "repo:acme/*"}}}]}}),
    }
    cloud_registry_open_to_anyone {
        pretty_name: "Image registry is open to everybody",
        severity: SEVERITY_HIGH,
        added: "2026-11-25",
        of: ["image registry"],
        needs: "policy",
        description: "The policy of the registry grants rights to everybody without a condition. Anybody can read the \
                      images, with the programs and secrets in them, or replace them.",
        remediation: "In the policy, name the accounts and organisations that need the images, and nobody else.",
        reference: "https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-policies.html",
        finds: |thing, date| lets_everybody(thing, "the registry"),
        reports: json!({"policy": {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "ecr:*"}]}}),
        near_miss: json!({"policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::1:root"}}]}}),
    }
    cloud_queue_open_to_anyone {
        pretty_name: "Queue is open to everybody",
        severity: SEVERITY_HIGH,
        added: "2026-11-25",
        of: ["queue"],
        needs: "policy",
        description: "The policy of the queue grants rights to everybody without a condition. Anybody can read its \
                      messages, or send messages that your programs trust.",
        remediation: "Name in the policy who may send and receive, or add a condition on the account or the source.",
        reference: "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/\
                    sqs-security-best-practices.html",
        finds: |thing, date| lets_everybody(thing, "the queue"),
        reports: json!([
            {"policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}}]}},
            {"policy": {"Statement": [{"Effect": "Allow", "NotPrincipal": {"AWS": "arn:aws:iam::1:user/ann"}}]}},
            {"policy": {"Statement": [{"Effect": "Allow", "Principal": "*",
                "Condition": {"Bool": {"aws:SecureTransport": "true"}}}]}},
        ]),
        near_miss: json!([
            {"policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"},
                "Condition": {"ArnEquals": {"aws:SourceArn": "arn:aws:sns:x"}}}]}},
            {"policy": {"Statement": [{"Effect": "Allow", "Principal": "*"}, {"Effect": "Deny", "Principal": "*",
                "Condition": {"StringNotEquals": {"aws:PrincipalOrgID": "o-1"}}}]}},
        ]),
    }
    cloud_topic_open_to_anyone {
        pretty_name: "Topic is open to everybody",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["topic"],
        needs: "policy",
        description: "The policy of the topic grants rights to everybody without a condition. Anybody can read what is \
                      published, or publish messages that your programs trust.",
        remediation: "Name in the policy who may publish and subscribe, or add a condition on the account or the \
                      source.",
        reference: "https://docs.aws.amazon.com/sns/latest/dg/sns-security-best-practices.html",
        finds: |thing, date| lets_everybody(thing, "the topic"),
        reports: json!({"policy": {"Statement": [{"Effect": "Allow", "Principal": "*"}]}}),
        near_miss: json!({"policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"},
            "Condition": {"StringEquals": {"AWS:SourceOwner": "123456789012"}}}]}}),
    }
    cloud_search_domain_open_to_anyone {
        pretty_name: "Search domain is open to everybody",
        severity: SEVERITY_CRITICAL,
        added: "2026-11-25",
        of: ["search domain"],
        needs: "policy",
        description: "The domain is on the internet, and its policy grants rights to everybody without a condition. \
                      Anybody can read or delete its indexes, which often contain logs.",
        remediation: "Move the domain into a private network, or require signed requests from named roles in its \
                      policy.",
        reference: "https://docs.aws.amazon.com/opensearch-service/latest/developerguide/ac.html",
        finds: |thing, date| lets_everybody(thing, "the domain, which stands on the internet,")
            .filter(|_| !thing.is("inside")),
        reports: json!([
            {"inside": false, "policy": {"Statement": [{"Effect": "Allow", "Principal": "*"}]}},
            {"inside": false, "policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"},
                "Condition": {"IpAddress": {"aws:SourceIp": ["0.0.0.0/0"]}}}]}},
        ]),
        near_miss: json!([
            {"inside": true, "policy": {"Statement": [{"Effect": "Allow", "Principal": "*"}]}},
            {"inside": false, "policy": {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"},
                "Condition": {"IpAddress": {"aws:SourceIp": ["192.0.2.0/24"]}}}]}},
        ]),
    }
    cloud_public_message_broker {
        pretty_name: "Message broker has a public address",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["message broker"],
        needs: "public",
        description: "The broker and its console are on the internet, so only passwords protect its messages.",
        remediation: "Make the broker private, and let programs reach it through the network of the account.",
        reference: "https://docs.aws.amazon.com/amazon-mq/latest/developer-guide/using-amazon-mq-securely.html",
        finds: |thing, date| once(thing.is("public"), "The broker is set to be reached from the internet."),
        reports: json!({"public": true}),
        near_miss: json!({"public": false}),
    }
    cloud_broker_without_authentication {
        pretty_name: "Message broker requires no authentication",
        severity: SEVERITY_HIGH,
        added: "2026-11-25",
        of: ["message broker"],
        needs: "unauthenticated",
        description: "The broker accepts clients without authentication. Whoever reaches it can read and write every \
                      topic.",
        remediation: "Require authentication by role, password or certificate, and turn unauthenticated access off.",
        reference: "https://docs.aws.amazon.com/msk/latest/developerguide/kafka_apis_iam.html",
        finds: |thing, date| once(thing.is("unauthenticated"), "The broker lets clients in without authentication."),
        reports: json!({"unauthenticated": true}),
        near_miss: json!({"unauthenticated": false}),
    }
    cloud_public_kafka {
        pretty_name: "Kafka cluster has public addresses",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["message broker"],
        needs: "access",
        description: "The brokers of the cluster can be reached from the internet, so only their authentication \
                      protects them.",
        remediation: "Turn public access off, and let programs reach the cluster through the network of the account.",
        reference: "https://docs.aws.amazon.com/msk/latest/developerguide/public-access.html",
        finds: |thing, date| once(
            thing.text("access") == "SERVICE_PROVIDED_EIPS",
            "The brokers have public addresses.",
        ),
        reports: json!({"access": "SERVICE_PROVIDED_EIPS"}),
        near_miss: json!({"access": "DISABLED"}),
    }
    cloud_public_replication_machine {
        pretty_name: "Database replication instance has a public address",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["replication machine"],
        needs: "public",
        description: "The instance has a public address, and holds passwords and data of the databases.",
        remediation: "Replace it with a private instance in a network from which both databases can be reached.",
        reference: "https://docs.aws.amazon.com/dms/latest/userguide/CHAP_Security.html",
        finds: |thing, date| once(thing.is("public"), "The machine is set to be reached from the internet."),
        reports: json!({"public": true}),
        near_miss: json!({"public": false}),
    }
    cloud_kubernetes_open_to_everybody {
        pretty_name: "Kubernetes API server is open to every address",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["Kubernetes cluster"],
        needs: "public",
        description: "The API server that controls the cluster accepts connections from every address on the internet. \
                      A leaked token, or a flaw in the server, is enough to take over the cluster.",
        remediation: "Make the API server private, or allow only the addresses that need it.",
        reference: "https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
        finds: |thing, date| once(
            thing.is("public") && thing.texts("sources").iter().any(|source| is_everybody(source)),
            "The interface of the cluster answers every address.",
        ),
        reports: json!({"public": true, "sources": ["128.0.0.0/1", "0.0.0.0/1"]}),
        near_miss: json!({"public": true, "sources": ["198.51.100.0/24"]}),
    }
    cloud_node_port_outside {
        pretty_name: "Service is exposed on a port of nodes with public addresses",
        severity: SEVERITY_LOW,
        added: "2026-11-28",
        of: ["service"],
        needs: "node_ports nodes_outside",
        description: "The service listens on a port of every node of the cluster, and nodes have public addresses. \
                      Unless a firewall protects the nodes, anybody can bypass the load balancer and the ingress with \
                      their rules.",
        remediation: "Close ports 30000 to 32767 of the nodes to the internet, give nodes only private addresses, or \
                      let the load balancer reach the service without node ports (allocateLoadBalancerNodePorts: \
                      false).",
        reference: "https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport",
        finds: |thing, date| answers_at_nodes(thing),
        reports: json!({"sort": "NodePort", "node_ports": ["30080"], "nodes_outside": true}),
        near_miss: json!([
            {"sort": "NodePort", "node_ports": ["30080"], "nodes_outside": false},
            {"sort": "LoadBalancer", "node_ports": []},
        ]),
        unknown: json!({"sort": "NodePort", "node_ports": ["30080"]}),
    }
    cloud_cache_open_access {
        pretty_name: "In-memory database requires no password",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["cache"],
        needs: "access",
        description: "The access list of the database is the default one, which lets every user do everything without \
                      a password.",
        remediation: "Create users with passwords and only the commands that they need, and give the database an \
                      access list of them.",
        reference: "https://docs.aws.amazon.com/memorydb/latest/devguide/clusters.acls.html",
        finds: |thing, date| once(thing.text("access") == "open-access", "Its access list is the open one."),
        reports: json!({"access": "open-access"}),
        near_miss: json!({"access": "acme-programs"}),
    }
    cloud_interface_by_key {
        pretty_name: "GraphQL API is protected only by a key",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["GraphQL interface"],
        needs: "authentication",
        description: "The API is protected by a key that every client contains, including every app and page that \
                      calls it. The key does not identify the caller.",
        remediation: "Require authentication by role, user pool or OpenID Connect, and use keys only for public \
                      operations.",
        reference: "https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html",
        finds: |thing, date| once(thing.text("authentication") == "API_KEY", "A key alone opens the interface."),
        reports: json!({"authentication": "API_KEY"}),
        near_miss: json!({"authentication": "AMAZON_COGNITO_USER_POOLS"}),
    }
    cloud_public_build_project {
        pretty_name: "Build results are public",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["build project"],
        needs: "visibility",
        description: "Everybody can read logs and results of the project's builds, with the secrets in them.",
        remediation: "Make the project private, and change every secret that its logs contain.",
        reference: "https://docs.aws.amazon.com/codebuild/latest/userguide/public-builds.html",
        finds: |thing, date| once(
            thing.text("visibility") == "PUBLIC_READ",
            "Everybody may read the builds of the project.",
        ),
        reports: json!({"visibility": "PUBLIC_READ"}),
        near_miss: json!({"visibility": "PRIVATE"}),
    }
    cloud_machine_metadata_without_token {
        pretty_name: "Instance metadata can be read without a token",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["machine"],
        needs: "metadata_tokens",
        description: "The instance metadata service, which gives out the credentials of the instance's role, answers \
                      every request that reaches it, including one that an attacker sends through a flaw in a web \
                      application.",
        remediation: "Require tokens for metadata (IMDSv2) on this instance and on all new instances of the account.",
        reference: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html",
        finds: |thing, date| once(
            thing.text("metadata_tokens") == "optional",
            "The machine demands no token for its metadata.",
        ),
        reports: json!({"metadata_tokens": "optional"}),
        near_miss: json!({"metadata_tokens": "required"}),
    }
    cloud_user_pool_open_to_anyone {
        pretty_name: "Anybody can register in a user pool",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        of: ["user pool"],
        needs: "by_administrators",
        description: "Everybody can register in the pool. Applications that treat every user of the pool as one of \
                      yours then admit strangers.",
        remediation: "Let only administrators create users, unless the application is meant for everybody.",
        reference: "https://docs.aws.amazon.com/cognito/latest/developerguide/\
                    user-pool-settings-admin-create-user-policy.html",
        finds: |thing, date| once(thing.is_not("by_administrators"), "Everybody may register in the pool."),
        reports: json!({"by_administrators": false}),
        near_miss: json!({"by_administrators": true}),
    }
    cloud_user_pool_without_second_factor {
        pretty_name: "User pool requires no second factor",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        of: ["user pool"],
        needs: "second_factor",
        description: "Users of the pool sign in with only a password, which may have leaked elsewhere.",
        remediation: "Offer a second factor to all users, and require it for those with many rights.",
        reference: "https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-settings-mfa.html",
        finds: |thing, date| once(thing.text("second_factor") == "OFF", "The pool has no second factor."),
        reports: json!({"second_factor": "OFF"}),
        near_miss: json!({"second_factor": "OPTIONAL"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};
    use ambit_model::entity::aws::configuration;

    #[test]
    fn the_statements_that_open_a_policy_are_told_by_their_names_or_places() {
        let told = |statements: Value| {
            let says = json!({"policy": {"Statement": statements}});
            let (name, value) = configuration(says.as_object().cloned().unwrap());
            let queue = facts(Kind::AwsResource, "arn:aws:x:eu-west-1:123456789012:acme").with(json!({ name: value }));
            lets_everybody(&Thing { facts: &queue }, "the queue").map(|found| (found.sentence, found.part))
        };
        let open = |sid: &str| json!({"Sid": sid, "Effect": "Allow", "Principal": "*", "Action": "sqs:*"});
        let own = json!({"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::1:root"}, "Action": "sqs:*"});
        let (sentence, part) = told(json!([own, open("")])).unwrap();
        assert_eq!(sentence, "The policy of the queue allows everybody something by its statement 2.");
        assert_eq!(part, Some(("statements", json!([open("")]))));
        let (sentence, _) = told(json!([open("All"), own, open("")])).unwrap();
        assert_eq!(sentence, r#"The policy of the queue allows everybody something by its statements "All", 3."#);
        assert_eq!(told(json!([own])), None);
    }
}
