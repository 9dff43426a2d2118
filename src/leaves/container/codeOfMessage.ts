/** Finds the error code in a message of strerror(3) in the C locale (glibc, musl, BusyBox, shells). */
import { BackendError } from "../files/FileBackend.ts"

const messages: ReadonlyArray<readonly [message: RegExp, code: string]> = [
  [/no such file|nonexist|does not exist/i, "ENOENT"],
  [/file exists|cannot overwrite existing file/i, "EEXIST"],
  [/not a directory/i, "ENOTDIR"],
  [/directory not empty/i, "ENOTEMPTY"],
  [/is a directory|cannot overwrite directory/i, "EISDIR"],
  [/permission denied/i, "EACCES"],
  [/operation not permitted/i, "EPERM"],
  [/read-only file system/i, "EROFS"],
  [/no space left/i, "ENOSPC"],
  [/quota exceeded/i, "EDQUOT"],
  [/file too large/i, "EFBIG"],
  [/file ?name too long/i, "ENAMETOOLONG"],
  [/symbolic links?( loop)?$|too many levels/i, "ELOOP"],
  [/resource busy/i, "EBUSY"],
  [/text file busy/i, "ETXTBSY"],
  [/invalid argument/i, "EINVAL"],
  [/cross-device/i, "EXDEV"],
]

const maxLength = 500

/** The error of a message; an unknown message becomes the detail. */
export const codeOfMessage = (message: string): BackendError => {
  // dd(1) writes its counts after its message.
  for (const line of message.trim().split("\n").reverse()) {
    // The names of files come first, and may hold any text.
    const end = line.slice(line.lastIndexOf(": ") + 1)
    const found = messages.find(([pattern]) => pattern.test(end))
    if (found !== undefined) return new BackendError(found[1])
  }
  return new BackendError(
    "EIO",
    `the container's programs failed: ${message.trim().slice(0, maxLength) || "no message"}`,
  )
}
