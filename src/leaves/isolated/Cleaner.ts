/**
 * Removes the placeholders and files of a leaf when it ends or its program is killed: starts a small shell script that waits
 * for the end of a pipe, and holds shared locks meanwhile.
 *
 * - The locks are those of the folders with placeholders. Leaves of other programs hold them too, and a placeholder is
 *   removed by the last one, which alone gets the exclusive lock. The kernel releases the locks of processes that were
 *   killed.
 * - Engines that have started while their program was killed may not have noticed it. They hold a file of the leaf's folder
 *   open, and are killed; those that start later find no such file.
 * - A placeholder whose creation was interrupted gets its time here, so that the last leaf recognizes it. A file with
 *   content is no placeholder.
 * - The folders of other leaves whose cleaner was killed too are removed at the start: their locks are free.
 *
 * Source: flock(1), flock(2), pipe(7).
 */
import { quoteWord } from "../../shell-language/quoteWord.ts"
import type { ByteReader } from "../../shell/SpawnedProcess.ts"
import type { Host } from "../../host/Host.ts"
import { keepOpen, startWatcher } from "../../host/systemShell.ts"
import { type Placeholder, placeholderTime } from "./placeholders.ts"

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

/** Name of the file, in the folder of a leaf, that contains the path of a placeholder while it is being made. */
export const makingName = "making"

export const leafFolderPrefix = "sluice-isolated-"

/**
 * Runs the rest of the words with a shared lock of the first one; without it where there are no locks (on some network file
 * systems). Fails while another process has the exclusive lock; a command could hold it.
 */
const withLock = `p=$1; shift; flock -s -w 3 -E 75 "$p" true 2>/dev/null
case $? in 0) exec flock -F -s -w 3 -E 75 "$p" "$@" ;; 75) exit 75 ;; *) exec "$@" ;; esac`

/** Ends with 0 on a line, which the leaf writes when it ends, and with 1 at the end of the pipe. */
const wait = "echo; exec >/dev/null; read -r _"

/** Each word is a placeholder, the innermost first. */
const removeScript = `for p; do
  [ ! -L "$p" ] && [ "$(stat -c %Y "$p")" = ${placeholderTime} ] || continue
  if [ -d "$p" ]; then rmdir "$p"; else rm -f "$p"; fi
done`

const script = (shell: string, directory: string, placeholders: ReadonlyArray<Placeholder>): string => {
  const paths = placeholders.map(({ path }) => path).toReversed()
  const folders = [...new Set(paths.map(parentOf))]
  const chain = [directory, ...folders].flatMap((folder) => [shell, "-c", withLock, "sh", folder])
  const removals = folders.map((folder) =>
    ["remove", folder, ...paths.filter((path) => parentOf(path) === folder)].map(quoteWord).join(" ")
  )
  return `trap "" HUP INT QUIT TERM
find ${quoteWord(parentOf(directory))} -maxdepth 1 -name '${leafFolderPrefix}*' -user "$(id -u)" -mmin +1 \\
  -exec flock -n -x {} rm -rf {} \\; >/dev/null 2>&1 </dev/null &
end_engines() {
  find /proc/[0-9]*/fd/8 -maxdepth 0 -lname ${quoteWord(`${directory}/*`)} 2>/dev/null |
    while IFS=/ read -r _ _ pid _; do kill -KILL "$pid"; done
}
remove() {
  folder=$1; shift
  for attempt in 1 2 3; do
    flock -n -x "$folder" ${shell} -c ${quoteWord(removeScript)} sh "$@" && break
    sleep 0.05
  done
}
finish_making() {
  making=$(cat ${quoteWord(`${directory}/${makingName}`)} && echo /) || return
  making=\${making%/}
  [ -f "$making" ] || [ -d "$making" ] || return
  case $(head -c 3 "$making") in "" | .) touch -h -c -m -d @${placeholderTime} "$making" ;; esac
}
if ! ${[...chain, shell, "-c", wait].map(quoteWord).join(" ")}; then
  sleep 0.2
  end_engines
  finish_making 2>/dev/null
  rm -rf ${quoteWord(directory)}
  end_engines
fi
{ ${[...removals, ":"].join("\n")}; } 2>/dev/null
rm -rf ${quoteWord(directory)}`
}

/** Reads until the first byte; `false` at the end. */
const readFirst = async (reader: ByteReader): Promise<boolean> => {
  const bytes = await new Promise<Uint8Array | undefined>(reader.read)
  return bytes !== undefined && bytes.length > 0
}

export interface Cleaner {
  /** Resolves when all is removed. */
  readonly close: () => Promise<void>
}

/** Starts it; resolves when it holds its locks, before the placeholders are made. Rejects with the runtime's error. */
export const startCleaner = async (
  host: Host,
  shell: string,
  directory: string,
  placeholders: ReadonlyArray<Placeholder>,
): Promise<Cleaner> => {
  const process = await startWatcher(host, shell, script(shell, directory, placeholders), {
    env: { clear: true, set: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } },
    stdout: "piped",
  })
  const { stdin, stdout } = process
  const ended = new Promise<void>((resolve) => process.onExit(() => resolve()))
  if (stdin === undefined || stdout === undefined || !await readFirst(stdout)) {
    throw new Error(
      "the process that cleans up has not started, or another process has locked a writable folder (flock)",
    )
  }
  stdout.release()
  const release = keepOpen(process)
  return {
    close: async () => {
      process.setRef(true)
      await stdin.write(Uint8Array.of(10)).catch(() => {})
      await stdin.end().catch(() => {})
      await ended
      release()
    },
  }
}
