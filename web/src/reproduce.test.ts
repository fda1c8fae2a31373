import { expect, test } from "vitest";
import { reproduce } from "./reproduce";

function command(name: string, details: Record<string, unknown>) {
  const proof = { description: "", details };
  return reproduce({ name, entity_name: "x", details: { proof } as never });
}

test.each([
  ["exposed_environment_file", { site: "https://a.test:443", paths: ["/.env"] }, "curl -isS --path-as-is https://a.test:443/.env"],
  ["directory_listing", { site: "https://a.test:443", path: "/a b/" }, "curl -isS --path-as-is 'https://a.test:443/a b/'"],
  ["missing_security_headers", { uri: "https://a.test:443" }, "curl -sSI https://a.test:443"],
  ["open_redis_service", { at: "203.0.113.1:6379/tcp" }, "redis-cli -h 203.0.113.1 -p 6379 ping"],
  ["exposed_rdp_service", { at: "[2001:db8::1]:3389/tcp" }, "nc -vz -w 5 2001:db8::1 3389"],
  ["deprecated_tls_version", { at: "203.0.113.1:443/tcp", versions: ["TLSv1.0"] }, "openssl s_client -connect 203.0.113.1:443 -tls1 </dev/null"],
  ["dmarc_permissive", { domain: "a.test", record: "v=DMARC1" }, "dig +short TXT _dmarc.a.test"],
  ["dns_zone_transfer", { zone: "a.test", servers: ["ns1.a.test"] }, "dig AXFR a.test @ns1.a.test"],
  ["dangling_record", { name: "v.a.test" }, "dig +noall +answer v.a.test CNAME"],
  ["dangling_record", { name: "a.test", records: [{ record: "MX", target: "mx.gone.test" }] }, "dig +noall +answer a.test MX"],
  ["invalid_certificate_expired", { served_by: ["a.test"] }, "openssl s_client -connect a.test:443 -servername a.test </dev/null"],
])("%s is seen with one command", (name, details, expected) => {
  expect(command(name, details)).toBe(expected);
});

test("a fact is never more than one word of the shell", () => {
  expect(command("x", { site: "https://a.test", paths: ["/'; rm -rf ~ #$(id)`id`"] })).toBe(
    "curl -isS --path-as-is 'https://a.test/'\\''; rm -rf ~ #$(id)`id`'",
  );
  expect(command("x", { site: "https://a.test", paths: ["/a\nb"] })).toBeNull();
  expect(command("x", { uri: "-o/etc/passwd" })).toBeNull();
  expect(command("x", { name: "--help" })).toBeNull();
  expect(command("x", {})).toBeNull();
});
