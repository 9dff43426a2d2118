/**
 * Makes a file that a program of this machine opens by a path among its arguments. On Linux the file has no name and
 * its path is `/proc/PID/fd/N`, so no other program can put a link or a FIFO in its place. Elsewhere, and if the
 * program has another `/proc`, the file is in a private folder until it is closed. Source: proc_pid_fd(5); ptrace(2)
 * "Ptrace access mode checking"; unlink(2).
 */
import { canReadAnything } from "../base/canReadAnything.ts"
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"

export interface PassedFile {
  readonly word: string
  /** Appends bytes. Throws when it is closed. */
  readonly write: (bytes: Uint8Array) => void
  /** Continues reading where the last call ended; returns 0 at the end. Throws when the file is closed. */
  readonly read: (into: Uint8Array) => number
  /** Closes the descriptor, and removes the name if the file has one. A second call does nothing. */
  readonly close: () => void
}

/** A call whose failure changes nothing. */
const attempt = (call: () => unknown): void => {
  try {
    call()
  } catch {
    // The file is gone, or another process has replaced it, whose file is not removed.
  }
}

/** Makes an empty file. `sharesProc`: whether the program sees the `/proc` of this process. */
export const passFile = (builtins: NodeBuiltins, sharesProc: boolean): PassedFile => {
  const fs = builtins.getBuiltinModule("node:fs")
  const { join } = builtins.getBuiltinModule("node:path")
  const folder = fs.mkdtempSync(join(builtins.getBuiltinModule("node:os").tmpdir(), "sluice-fd-"))
  const path = join(folder, "file")
  const removeName = (): void => {
    attempt(() => fs.unlinkSync(path))
    attempt(() => fs.rmdirSync(folder))
  }
  let handle: number | undefined
  const close = (): void => {
    const held = handle
    if (held === undefined) return
    // Done first, because right afterwards the number may be that of another file.
    handle = undefined
    fs.closeSync(held)
  }
  const opened = (): number => {
    if (handle === undefined) throw new Error("a file that is closed")
    return handle
  }

  /** The path of the open file, if a program of this user can open it by that path. */
  const wordOf = (held: number): string | undefined => {
    if (!sharesProc || builtins.platform !== "linux" || !canReadAnything()) return undefined
    const [word, open] = [`/proc/${builtins.pid}/fd/${held}`, fs.fstatSync(held)]
    try {
      const [there, descriptors] = [fs.statSync(word), fs.statSync(`/proc/${builtins.pid}/fd`)]
      // The descriptors of a process that others may not inspect (because of file capabilities) belong to root.
      const isOpen = descriptors.uid === builtins.getuid?.()
      return isOpen && there.dev === open.dev && there.ino === open.ino ? word : undefined
    } catch {
      // There is no /proc.
      return undefined
    }
  }

  try {
    const held = handle = fs.openSync(path, "wx+", 0o600)
    const word = wordOf(held)
    if (word !== undefined) {
      fs.unlinkSync(path)
      fs.rmdirSync(folder)
      if (fs.fstatSync(held).nlink !== 0) throw new Error(`a file in ${folder} that has another name`)
    }
    let [readTo, writtenTo] = [0, 0]
    return {
      word: word ?? path,
      write: (bytes) => {
        for (let at = 0; at < bytes.length;) {
          const count = fs.writeSync(opened(), bytes, at, bytes.length - at, writtenTo)
          at += count
          writtenTo += count
        }
      },
      read: (into) => {
        const count = fs.readSync(opened(), into, 0, into.length, readTo)
        readTo += count
        return count
      },
      close: () => {
        const isLast = handle !== undefined
        close()
        if (isLast && word === undefined) removeName()
      },
    }
  } catch (cause) {
    close()
    removeName()
    throw cause
  }
}
