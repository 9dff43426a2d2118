/** Makes the HTTP answer to a file fault: its status, and a problem body that decodes to the same fault. */
import * as Schema from "effect/Schema"
import { FileFault, type FileFaultKind } from "../../files/FileFault.ts"
import type { HttpRefusal, ProblemDetails } from "../problem.ts"

export interface FileProblem extends Omit<ProblemDetails, "commandId" | "fault"> {
  readonly fault?: unknown
}

export type FileRefusal = HttpRefusal<FileProblem>

const kinds: Readonly<Record<FileFaultKind, readonly [status: number, title: string]>> = {
  NotFound: [404, "File not found"],
  AlreadyExists: [409, "File exists already"],
  AccessDenied: [403, "Access denied"],
  InvalidPath: [400, "Invalid path"],
  DirectoryNotEmpty: [409, "Folder is not empty"],
  NotADirectory: [409, "Not a folder"],
  NotAFile: [409, "Not a file"],
  DiskFull: [507, "No space left"],
  IoError: [500, "Input/output error"],
  PathTooLong: [414, "Path too long"],
  Timeout: [504, "File operation timed out"],
}

const encode = Schema.encodeSync(FileFault)

/** Makes the refusal of a fault. `status` replaces that of its kind: 412 where it broke a precondition. */
export const refuseFileFault = (fault: FileFault, status?: number): FileRefusal => {
  const [usual, title] = kinds[fault.faultKind]
  return {
    _tag: "Refusal",
    problem: {
      type: `urn:sluice:file:${fault.faultKind}`,
      title,
      status: status ?? usual,
      detail: fault.message,
      fault: encode(fault),
    },
    headers: {},
  }
}
