/** Finds the errno name of an error of Deno, Bun or Node by its code, its class or its message. */
import type { Platform } from "../paths.ts"

// Deno's errors are classes; most have a `code` as well.
const byName: Readonly<Record<string, string>> = {
  NotFound: "ENOENT",
  NotADirectory: "ENOTDIR",
  PermissionDenied: "EACCES",
  NotCapable: "NotCapable",
  FilesystemLoop: "ELOOP",
  WouldBlock: "EAGAIN",
  Busy: "EBUSY",
}

// Where Deno has no `code`, its message ends with the system's number. These are the same on Linux, macOS and BSD.
const posixNumbers: Readonly<Record<number, string>> = {
  1: "EPERM",
  2: "ENOENT",
  7: "E2BIG",
  8: "ENOEXEC",
  12: "ENOMEM",
  13: "EACCES",
  20: "ENOTDIR",
  22: "EINVAL",
  23: "ENFILE",
  24: "EMFILE",
  26: "ETXTBSY",
}

// Microsoft, "System Error Codes".
const windowsNumbers: Readonly<Record<number, string>> = {
  2: "ENOENT", // ERROR_FILE_NOT_FOUND
  3: "ENOENT", // ERROR_PATH_NOT_FOUND
  4: "EMFILE", // ERROR_TOO_MANY_OPEN_FILES
  5: "EACCES", // ERROR_ACCESS_DENIED
  8: "ENOMEM", // ERROR_NOT_ENOUGH_MEMORY
  14: "ENOMEM", // ERROR_OUTOFMEMORY
  32: "EBUSY", // ERROR_SHARING_VIOLATION
  87: "EINVAL", // ERROR_INVALID_PARAMETER
  123: "ENOENT", // ERROR_INVALID_NAME
  193: "ENOEXEC", // ERROR_BAD_EXE_FORMAT
  206: "E2BIG", // ERROR_FILENAME_EXCED_RANGE: the command line is over 32,767 characters
  216: "ENOEXEC", // ERROR_EXE_MACHINE_TYPE_MISMATCH
  225: "EPERM", // ERROR_VIRUS_INFECTED
  267: "ENOTDIR", // ERROR_DIRECTORY: the working directory
  740: "EACCES", // ERROR_ELEVATION_REQUIRED
  1450: "ENOMEM", // ERROR_NO_SYSTEM_RESOURCES
  1455: "ENOMEM", // ERROR_COMMITMENT_LIMIT
}

/**
 * The errno name (`"ENOENT"`), or `"NotCapable"` for a missing permission of Deno; `undefined` if the error has
 * neither.
 */
export const errorCode = (error: unknown, platform: Platform): string | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  if ("code" in error && typeof error.code === "string" && error.code !== "") {
    // Node and Bun have their own code for a NUL and for an empty name.
    return error.code.startsWith("ERR_INVALID_ARG") ? "EINVAL" : error.code
  }
  const message = "message" in error && typeof error.message === "string" ? error.message : ""
  const number = /\(os error (\d+)\)/.exec(message)?.[1]
  // Deno's errors on Windows have neither a code nor a number in these cases.
  if (message.endsWith(": File not found")) return "ENOENT"
  if (message.endsWith("nul byte found in provided data")) return "EINVAL"
  const named = number === undefined
    ? undefined
    : (platform === "posix" ? posixNumbers : windowsNumbers)[Number(number)]
  if (named !== undefined) return named
  const name = "name" in error && typeof error.name === "string" ? error.name : ""
  return Object.hasOwn(byName, name) ? byName[name] : undefined
}
