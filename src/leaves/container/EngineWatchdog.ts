/**
 * Removes the containers of a leaf after this program was killed: starts a small shell script on this machine, which waits for
 * the end of a pipe and then calls the engine.
 *
 * In a container that existed before, it ends the processes of the leaf's commands instead.
 */
import type { Host, HostProcess } from "../../host/Host.ts"
import { endMarkedScript } from "../../sh-session/treeScript.ts"
import { keepOpen, startWatcher, systemShell } from "../../host/systemShell.ts"
import { isInTime } from "../../host/waitRealTime.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { Engine } from "./ContainerSettings.ts"
import { ownerLabel } from "./owner.ts"

/** `$1`: the owner; `$2`: the container that stays, or nothing; `$3`: the script in it; `$4`: how
 * containers are killed at once; `$5`…: the engine. */
const script = `trap "" HUP INT QUIT TERM
while read -r word; do [ "$word" != done ] || exit 0; done
exec >/dev/null 2>&1 </dev/null
owner=$1 kept=$2 ending=$3 now=$4
shift 4
[ -z "$kept" ] || "$@" exec "$kept" sh -c "$ending" sh "$owner" 0
tries=3
while [ $tries -gt 0 ]; do
  tries=$((tries - 1))
  ids=$("$@" ps --all --quiet --no-trunc --filter "label=${ownerLabel}=$owner")
  [ -n "$ids" ] || exit 0
  for id in $ids; do "$@" rm --force "$now" --volumes "$id"; done
done`

/** Time limit for its removals. */
const closeMillis = 60_000

export class EngineWatchdog {
  #process: HostProcess | undefined
  #ended: Promise<void> | undefined
  #release: (() => boolean) | undefined

  /**
   * Starts the watchdog before the first container. On a machine without `sh`, only the next leaf removes leftover
   * containers.
   */
  async start(host: Host, engine: Engine, owner: string, kept: string | undefined): Promise<void> {
    const shell = systemShell(host)
    if (shell === undefined || host.os === "windows") return
    const now = engine.kind === "podman" ? "--time=0" : "--force"
    const words = ["sluice-watchdog", owner, kept ?? "", endMarkedScript, now, engine.program, ...engine.arguments]
    // The engine finds its containers by variables such as HOME and XDG_RUNTIME_DIR.
    const process = await startWatcher(host, shell, script, { words, env: undefined })
    this.#process = process
    this.#release = keepOpen(process)
    this.#ended = new Promise((resolve) => process.onExit(() => resolve()))
  }

  /** Ends the watchdog; unless the leaf is `clean`, it first removes leftover containers. */
  async close(clean: boolean): Promise<void> {
    const process = this.#process
    const pipe = process?.stdin
    this.#process = undefined
    if (process === undefined || pipe === undefined) return
    // Keeps Node alive until the watchdog has ended: nothing else may be left that does.
    process.setRef(true)
    this.#release?.()
    if (clean) await pipe.write(encodeUtf8("done\n"))
    await pipe.end()
    // The watchdog continues without this program if the engine does not answer.
    if (this.#ended !== undefined && !await isInTime(this.#ended, closeMillis)) process.setRef(false)
  }
}
