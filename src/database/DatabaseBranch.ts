/** Declares the Database branch: SQL statements are its requests; rows, results and faults its events. */
import { defined } from "../base/defined.ts"
import { messagesOf } from "../branch/messageSchemas.ts"
import { makeServiceBranch, type RequestFailure, type ServiceBranch } from "../branch/ServiceBranch.ts"
import { DatabaseEvent, DatabaseFault, type DatabaseFaultKind, DatabaseRequest } from "./DatabaseEntry.ts"

/** Makes the fault of a request, of the statement with an index where it has more than one. */
export const databaseFault = (
  { _tag, correlationId }: Pick<DatabaseRequest, "_tag" | "correlationId">,
  faultKind: DatabaseFaultKind,
  what: string,
  { code, statement }: { readonly code?: string | undefined; readonly statement?: number | undefined } = {},
): DatabaseFault =>
  new DatabaseFault({
    correlationId,
    faultKind,
    ...defined({ code, statement }),
    message: `database ${_tag.slice("Database".length).toLowerCase()}${
      statement === undefined ? "" : `, statement ${statement + 1}`
    }: ${what}${code === undefined ? "" : ` (${code})`}`,
  })

const kinds: Partial<Record<RequestFailure["kind"], DatabaseFaultKind>> = {
  Cancelled: "Cancelled",
  HostLost: "OutcomeUnknown",
  NotTaken: "Timeout",
}

/**
 * The Database branch.
 *
 * @example
 * ```ts
 * import { DatabaseBranch, DatabaseExecute, DatabaseQuery } from "@sluice/shell/database"
 *
 * console.log(DatabaseBranch.canRerun(DatabaseQuery.make({ sql: "SELECT 1" }))) // true
 * console.log(DatabaseBranch.canRerun(DatabaseExecute.make({ sql: "DELETE FROM users" }))) // false
 * ```
 */
export const DatabaseBranch: ServiceBranch<DatabaseRequest, DatabaseEvent, DatabaseFault> = makeServiceBranch({
  name: "database",
  request: messagesOf(DatabaseRequest),
  event: messagesOf(DatabaseEvent),
  pieces: ["DatabaseRows"],
  fault: { tags: ["DatabaseFault"], schema: DatabaseFault },
  makeFault: (request, { kind, what }) => databaseFault(request, kinds[kind] ?? "Failed", what),
  canRerun: ({ _tag }) => _tag === "DatabaseQuery",
})
