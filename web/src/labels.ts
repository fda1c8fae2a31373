// What the fields of the interface are called, by the members of the API that they fill in: a refusal names the member.

const LABELS = new Map([
  ["quiet_hours", "Quiet hours"],
  ["target", "Target"],
  ["due_days", "Days until issues are due"],
  ["ports", "Ports to search"],
  ["printable_name", "Name"],
  ["expires_at", "End"],
  ["timing.cron", "Cron line"],
  ["timing.time_zone", "Time zone"],
  ["timing.rest_windows", "Hours of rest"],
  ["time_zone", "Time zone"],
]);

/** A refusal of the server with the label of the field in the place of the member that it begins with. */
export function labelled(message: string): string {
  return message.replace(/^[a-z_.]+(?=[: ])/, (member) => LABELS.get(member) ?? member);
}
