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
}

const TYPES: Record<string, AccountType> = {
  AwsCredential: {
    words: "an account at AWS",
    secrets: [
      { name: "aws_access_key_id", label: "Access key id", required: true },
      { name: "aws_secret_access_key", label: "Secret access key", hidden: true, required: true },
      { name: "aws_session_token", label: "Session token, of keys that hold for a while" },
      { name: "aws_role_arn", label: "Role to take (ARN)" },
      { name: "aws_external_id", label: "External id that the role demands" },
    ],
    settings: [{ name: "region", label: "Region that is asked first" }],
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

/** What is asked for; null: nobody here knows, and the names are typed as well. */
export function accountType(type: string): AccountType | null {
  return TYPES[type] ?? null;
}

/** How a type is called in a list. */
export function accountWords(type: string): string {
  return accountType(type)?.words ?? `an account by ${type}`;
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
