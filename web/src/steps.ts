// Which changes of the address of a list, with one of its rows open beside it, are steps that the browser's Back takes again.

export interface Step {
  /** Takes the place of the address that is shown, rather than coming after it. */
  replace: boolean;
  /** Is done by going back to the address before. */
  back: boolean;
  /** The address before this one is the same list with nothing open. */
  opened: boolean;
}

/** `isOpen`: a row is open now; `opened`: that was the last step. */
export function stepOf(next: { issue?: string | undefined }, isOpen: boolean, opened: boolean): Step {
  if (!("issue" in next)) return { replace: false, back: false, opened: false };
  if (next.issue === undefined) return { replace: true, back: isOpen && opened, opened: false };
  return { replace: isOpen, back: false, opened: !isOpen || opened };
}
