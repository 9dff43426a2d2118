/**
 * Ends the commands of a leaf after this program was killed: starts a small shell script that waits for the end of a
 * pipe, and gives all processes the marker by which the script finds them.
 *
 * The system closes this program's end of the pipe. The script then finds the remaining processes by a marker in their
 * environment, or by their parent (`/proc`), as `TreeMembers` does, but slower: a tree that forks quickly may escape.
 *
 * Source: pipe(7), proc_pid_environ(5), proc_tid_children(5), kill(1p).
 */
import * as Duration from "effect/Duration"
import type { ByteWriter } from "../../../shell/SpawnedProcess.ts"
import { defaultPath } from "../../../host/environment.ts"
import type { Host } from "../../../host/Host.ts"
import { newMarker } from "../../../host/runMarker.ts"
import { keepOpen, startWatcher } from "../../../host/systemShell.ts"
import { markedByGrep, toTenths, treeFunctions } from "../../../sh-session/treeScript.ts"

/** `$1`: the marker. The commands of each grace period end side by side, and then what lost its own marker. */
const script = `trap "" HUP INT QUIT TERM
while read -r _; do :; done
${treeFunctions}
${markedByGrep}
graces=
for pid in $(marked "$1"); do
  for tenths in $(tr "\\000:=" "\\n\\n\\n" 2>/dev/null < /proc/"$pid"/environ | sed -n "s/^$1g\\([0-9]*\\)\\.\$/\\1/p"); do
    case " $graces " in *" $tenths "*) ;; *) graces="$graces $tenths" ;; esac
  done
done
for tenths in $graces; do (end_tree "$1g$tenths." "$tenths") & done
wait
end_tree "$1" 0`

/** Adds the grace period of a command, in tenths of a second, to the marker of its watchdog, the last of several. */
export const markGrace = (markers: string, grace: Duration.Duration): string =>
  `${markers}g${toTenths(Duration.toMillis(grace))}.`

export class Watchdog {
  /** Marker of all processes of the leaf, in addition to those of their runs. */
  readonly marker: string = newMarker()
  readonly #host: Host
  readonly #shell: string
  #pipe: ByteWriter | undefined
  #release: (() => boolean) | undefined

  constructor(host: Host, shell: string) {
    this.#host = host
    this.#shell = shell
  }

  /** Whether it runs. */
  get isRunning(): boolean {
    return this.#pipe !== undefined
  }

  /** Starts it, before the first command. Throws the runtime's error. */
  async start(): Promise<void> {
    const spawned = startWatcher(this.#host, this.#shell, script, {
      words: ["sluice-watchdog", this.marker],
      // The environment may contain secrets, and the script needs none of it.
      env: { clear: true, set: { PATH: this.#host.variable("PATH") ?? defaultPath.posix } },
    })
    const process = spawned instanceof Promise ? await spawned : spawned
    this.#pipe = process.stdin
    this.#release = keepOpen(process)
    process.onExit(() => this.release())
  }

  /** Ends it: the leaf runs no more commands. */
  release(): void {
    const pipe = this.#pipe
    this.#pipe = undefined
    if (this.#release?.() === true) void pipe?.end()
  }
}
