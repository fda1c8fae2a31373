// What opens an account at somebody else's, by the type of its integration: what is asked for, as a person knows it. A type
// that is not listed here is asked for by the names that its provider gives.

/** A secret or setting of an integration. */
export interface AccountField {
  name: string;
  label: string;
  hidden?: boolean;
  required?: boolean;
  /** It has several lines. */
  lines?: boolean;
}

export interface AccountType {
  /** With an article before it where one stands there: "an account at AWS". */
  words: string;
  secrets: AccountField[];
  settings: AccountField[];
  /** Settings that are given and not asked for. */
  given?: Record<string, string>;
}

/** A provider beside those with a type of their own, by the secrets that it asks for. */
function provider(name: string, words: string, ...secrets: AccountField[]): [string, AccountType] {
  return [name, { words, secrets, settings: [], given: { provider: name } }];
}

const TOKEN: AccountField = { name: "token", label: "Token for its interface, reading rights are enough", hidden: true, required: true };

/** What shows a collection of repositories more than everybody sees. */
function forge(words: string, ...settings: AccountField[]): AccountType {
  return { words, secrets: [TOKEN], settings };
}

/** Where a session is shown, and nowhere else. */
const ORIGIN: AccountField = { name: "origin", label: "Where the application is (URL, as among the seeds)", required: true };

/** The ways in which a session of an application is opened, each with what it needs. */
const SESSIONS: Record<string, AccountType> = {
  form: {
    words: "a sign-in at an application, by its form",
    secrets: [
      { name: "username", label: "User", required: true },
      { name: "password", label: "Password", hidden: true, required: true },
    ],
    settings: [ORIGIN, { name: "login_url", label: "Page with the form, if not the front page (URL)" }],
  },
  header: {
    words: "a session of an application, by a header",
    secrets: [{ name: "header", label: "Header with its value, as Authorization: Bearer …", hidden: true, required: true }],
    settings: [ORIGIN],
  },
  cookie: {
    words: "a session of an application, by a cookie",
    secrets: [{ name: "cookie", label: "Cookies, as name=value; name=value", hidden: true, required: true }],
    settings: [ORIGIN],
  },
  token: {
    words: "a session of an application, by a token of OpenID Connect",
    secrets: [
      { name: "client_id", label: "Client id", required: true },
      { name: "client_secret", label: "Client secret", hidden: true, required: true },
    ],
    settings: [
      ORIGIN,
      { name: "token_url", label: "Where the provider gives out tokens (https URL)", required: true },
      { name: "scope", label: "Scope that is asked for" },
    ],
  },
};

/** The providers whose integrations are of the type `CloudCredential`. */
const PROVIDERS: Record<string, AccountType> = Object.fromEntries([
  provider("cloudflare", "an account at Cloudflare", TOKEN),
  provider("digitalocean", "an account at DigitalOcean", TOKEN),
  provider("fastly", "an account at Fastly", TOKEN),
  provider("gandi", "an account at Gandi", TOKEN),
  provider("hetzner", "a project at Hetzner Cloud", TOKEN),
  provider("kubernetes", "a cluster of Kubernetes",
    { name: "server", label: "URL of its interface", required: true },
    { name: "token", label: "Token of a service account that may list", hidden: true, required: true }),
  provider("linode", "an account at Linode", TOKEN),
  provider("netlify", "a team at Netlify", TOKEN),
  provider("ovh", "an account at OVHcloud",
    { name: "application_key", label: "Application key", required: true },
    { name: "application_secret", label: "Application secret", hidden: true, required: true },
    { name: "consumer_key", label: "Consumer key, which may GET what is listed", hidden: true, required: true }),
  provider("scaleway", "a project at Scaleway", { name: "secret_key", label: "Secret key", hidden: true, required: true }),
  provider("vercel", "a team at Vercel", TOKEN),
  provider("vultr", "an account at Vultr", TOKEN),
]);

const TYPES: Record<string, AccountType> = {
  AwsCredential: {
    words: "an account at AWS",
    secrets: [
      { name: "aws_access_key_id", label: "Access key id; none where the installation takes the role" },
      { name: "aws_secret_access_key", label: "Secret access key", hidden: true },
      { name: "aws_session_token", label: "Session token, of keys that hold for a while", hidden: true },
      { name: "aws_role_arn", label: "Role to take (ARN)" },
      { name: "aws_external_id", label: "External id that the role demands" },
    ],
    settings: [
      { name: "region", label: "Region that is asked first" },
      { name: "organization_role", label: "Role in the other accounts of its organisation" },
    ],
  },
  AzureCredential: {
    words: "a tenant at Azure",
    secrets: [
      { name: "tenant_id", label: "Directory (tenant) id", required: true },
      { name: "client_id", label: "Application (client) id", required: true },
      { name: "client_secret", label: "Client secret", hidden: true, required: true },
    ],
    settings: [],
  },
  BitbucketCredential: forge("a token for Bitbucket"),
  GiteaCredential: forge("a token for Gitea or Forgejo", { name: "server", label: "Where it runs, if not at codeberg.org (URL)" }),
  GithubCredential: forge("a token for GitHub"),
  GitlabCredential: forge("a token for GitLab", { name: "server", label: "Where it runs, if not at gitlab.com (URL)" }),
  GcpCredential: {
    words: "a project at Google Cloud",
    secrets: [
      { name: "project_id", label: "Project id", required: true },
      { name: "client_email", label: "E-mail address of the service account", required: true },
      { name: "private_key", label: "Its private key, as PEM", lines: true, required: true },
    ],
    settings: [],
  },
};

/** What stands between a type of integration and the provider or the way that it is for. */
const OF = "/";

/** What a person chooses among: the types, those with several providers one for each, and last any other. */
export function accountChoices(types: string[]): string[] {
  return types.flatMap((type) => {
    if (type === "ApplicationCredential") return Object.keys(SESSIONS).map((name) => type + OF + name);
    return type === "CloudCredential" ? [...Object.keys(PROVIDERS).map((name) => type + OF + name), type] : [type];
  });
}

/** The type of integration of a choice. */
export function integrationType(choice: string): string {
  return choice.split(OF)[0] ?? choice;
}

/** What is asked for; null: nobody here knows, and the names are typed as well. */
export function accountType(choice: string): AccountType | null {
  const [type = choice, name] = choice.split(OF);
  if (name === undefined) return TYPES[type] ?? null;
  return (type === "ApplicationCredential" ? SESSIONS[name] : PROVIDERS[name]) ?? null;
}

/** How a type is called in a list. */
export function accountWords(type: string): string {
  return accountType(type)?.words ?? (type === "CloudCredential" ? "an account at another provider" : `an account by ${type}`);
}

/** Lines such as `token = abc` as names with values; what is no such line is refused. */
export function pairs(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const [, name, value] = /^([A-Za-z0-9_.-]+)\s*=\s*(.+)$/.exec(line.trim()) ?? [];
    // The line itself may be a secret.
    if (name === undefined || value === undefined) throw new Error(`Line ${index + 1} is not written as name = value.`);
    found[name] = value;
  });
  return found;
}
