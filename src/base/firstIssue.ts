/** Finds the first place of a value that its Schema refuses. */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** The names that lead to the first refused place, and what is wrong there. The message may quote the value. */
export const firstIssue = (
  { issue }: Pick<Schema.SchemaError, "issue">,
): { readonly path: ReadonlyArray<string>; readonly message: string | undefined } => {
  const [first] = issuesOf(issue).issues
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  return { path, message: first?.message }
}
