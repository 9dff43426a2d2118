/** A timer whose delay a caller chose is started by src/base/startTimer.ts: the host's own fires at once after 25 days. */
import { expect, it } from "vitest"
import { readFileSync } from "node:fs"
import { root, sourceFiles } from "./sources.ts"

/** Files that start the host's timers themselves, and why no delay of theirs is too long. */
const allowed: Readonly<Record<string, "constant" | "next turn" | "maxTimerMillis">> = {
  "src/base/startTimer.ts": "maxTimerMillis",
  "src/cli/nodeProcess.ts": "constant",
  "src/cli/listenNode.ts": "next turn",
  "src/cli/terminal/ConnectionNotice.ts": "constant",
  "src/client/TerminalLink.ts": "constant",
  "src/host/runToEnd.ts": "constant",
  "src/host/terminal/awaitExec.ts": "constant",
  "src/host/terminal/loadConPty.ts": "constant",
  "src/host/terminal/makeMasterWriter.ts": "constant",
  "src/http/SharedTimeout.ts": "maxTimerMillis",
  "src/journal/stores/ndjson/watchFile.ts": "maxTimerMillis",
  "src/journal/stores/sqlite/watchVersion.ts": "maxTimerMillis",
  "src/kernel/changes/Turns.ts": "next turn",
  "src/kernel/extension/callExtension.ts": "next turn",
  "src/kernel/process/CountedScheduler.ts": "maxTimerMillis",
  "src/kernel/process/KernelProcesses.ts": "constant",
  "src/kernel/process/Scheduler.ts": "next turn",
  "src/leaves/container/Containers.ts": "constant",
  "src/leaves/container/FileServer.ts": "constant",
  "src/leaves/container/ShSession.ts": "constant",
  "src/leaves/isolated/signalInside.ts": "constant",
  "src/leaves/ssh/RemoteWatchdog.ts": "constant",
  "src/leaves/ssh/SftpSession.ts": "maxTimerMillis",
  "src/net/HttpExchange.ts": "constant",
  "src/script/MemoryWatch.ts": "constant",
  "src/shell/scheduleNextTurn.ts": "next turn",
  "src/window/transform.ts": "maxTimerMillis",
}

it("starts timers of the host only where their delay is bounded", () => {
  // The console's page has no caller who names a time; timers of js-exec's scripts are the engine's own.
  const found = sourceFiles.filter((file) =>
    !/^src\/(?:console\/page|kernel\/tools\/jsExec\/guest)\//.test(file) &&
    /\bset(?:Timeout|Interval)\(/.test(
      readFileSync(new URL(file, root), "utf8").replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, ""),
    )
  )
  expect(found.toSorted()).toEqual(Object.keys(allowed).toSorted())
})
