/** Recognizes that a process ran out of memory, by the last lines of its stderr. */
import type { ShellOutput } from "../command/ShellEvent.ts"

/** The messages with which Python, V8, Bun, Ruby, Perl, Bash, C++, Go and Java run out of memory. */
const lastWords =
  /^MemoryError\b|\b(?:heap )?out of memory\b|NoMemoryError|cannot allocate(?: \d+ bytes| memory)|std::bad_alloc|OutOfMemoryError|ERR_MEMORY_ALLOCATION_FAILED|RangeError: Array buffer allocation failed/im

/** Uncaught errors of Python and Node as their runtimes print them at an exit. */
const uncaught =
  /^Traceback \(most recent call last\):\n[^]*\n(?:[\w.]*\.)?\w*MemoryError(?:: .*)?\s*$|^RangeError: (?:Failed to allocate memory|Array buffer allocation failed)\n[^]*\n\nNode\.js v[\d.]+\s*$/m

/** Signals by which runtimes end themselves: abort(3), and the traps of V8 and JavaScriptCore. */
const abortSignals: ReadonlySet<string | undefined> = new Set(["SIGABRT", "SIGTRAP", "SIGILL"])

export const lastWordsLength = 4_096

/**
 * Whether a process failed because it ran out of memory. Under a memory limit any such message counts; otherwise only an
 * abort or an uncaught error does, because a program may print the message and exit for another reason.
 */
export const ranOutOfMemory = ({ exitCode, signal }: ShellOutput, stderr: string, isLimited: boolean): boolean => {
  if (exitCode === 0 && signal === undefined) return false
  const end = stderr.slice(-lastWordsLength)
  return isLimited || abortSignals.has(signal) ? lastWords.test(end) : uncaught.test(end)
}
