import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ShellExec } from "../../src/command/ShellExec.ts"
import { layer as daemonShell } from "../../src/compute/DaemonShell.ts"
import { layer as journaledShell } from "../../src/compute/JournaledShell.ts"
import * as ShellDaemon from "../../src/compute/ShellDaemon.ts"
import { MockDatabase } from "../../src/database/mod.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import {
  DaemonFileSystem,
  type Files,
  FileSystemDaemon,
  JournaledFileSystem,
  KernelFileSystem,
  LocalFileSystem,
  MemoryFileSystem,
  MockFileSystem,
} from "../../src/leaves/files/mod.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import * as MockRun from "../../src/leaves/mock/MockRun.ts"
import { MockShell } from "../../src/leaves/mock/MockShell.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { Shell } from "../../src/shell/Shell.ts"
import {
  DaemonSpellcasting,
  JournaledSpellcasting,
  ProcessTable,
  ReplaySpellcasting,
  Spellbook,
  Spellcasting,
  SpellcastingDaemon,
} from "../../src/spell/mod.ts"
import { spellsContract } from "../support/spellsContract.ts"
import { workshop } from "../support/workshop.ts"
import { builtinSpells } from "./builtinBook.ts"

/** The same book in every composition. */
const spells = Spellcasting.layer(Spellbook.make(...builtinSpells))

/** The same in every composition: leaves of databases have a contract of their own. */
const database = MockDatabase.layer([
  { sql: "SELEKT*", answer: "Syntax" },
  {
    answer: {
      _tag: "DatabaseRows",
      columns: ["n", "s"],
      rows: [[1, "one"], [2n ** 60n, "x".repeat(5_000)], [3, null]],
    },
  },
])

const over = <E, R>(branches: Layer.Layer<Files | Shell, E, R>) =>
  spells.pipe(Layer.provide(branches), Layer.provide(Layer.merge(ProcessTable.layer, database)))

const runWith = (layer: Layer.Layer<Spellcasting, unknown>) => (test: Effect.Effect<unknown, unknown, Spellcasting>) =>
  Effect.runPromise(Effect.provide(test, layer))

const local = Layer.unwrap(
  Effect.map(workshop, ({ directory }) =>
    Layer.merge(
      LocalFileSystem.layer({ rootPath: directory }),
      Layer.effect(Shell, LocalShell.make({ cwd: directory })),
    )),
)

/** Files and commands meet in one kernel. */
const sandbox = Layer.unwrap(Effect.map(Sandbox.make(), (kernel) =>
  Layer.merge(
    KernelFileSystem.layer(kernel, { rootPath: "/home/user" }),
    Layer.effect(Shell, KernelShell.make(kernel)),
  )))

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("")

const script = (start: string) => ({ command, useShell }: ShellExec): boolean => useShell && command.startsWith(start)

const mock = Layer.merge(
  MockFileSystem.layer,
  MockShell.layer([
    MockShell.on("echo", ({ arguments: words }) => MockRun.stdout(`${words.join(" ")}\n`)),
    MockShell.on("false", MockRun.exit(1)),
    MockShell.on("seq", MockRun.stdout(lines(20_000))),
    MockShell.on("cat", MockRun.copyInput),
    MockShell.on("sleep", MockRun.hang),
    MockShell.on("no-such-program-x", MockRun.fail({ _tag: "NotFound", what: "command", path: "no-such-program-x" })),
    MockShell.on(script("echo early"), [MockRun.stdout("early\n"), MockRun.hang]),
    MockShell.on(script("printf"), [MockRun.stdout("a\nb\n"), MockRun.exit(3)]),
    MockShell.on(
      "bash",
      ({ arguments: words }) =>
        words.includes("exit 5") ? MockRun.exit(5) : [MockRun.stdout("42\n"), MockRun.copyInput],
    ),
  ]),
)

const memory = Layer.merge(MemoryFileSystem.layer, KernelShell.layer)

/** Every branch in one journal. */
const journaledBranches = Layer.merge(
  JournaledFileSystem.layer.pipe(Layer.provide(MemoryFileSystem.layer)),
  journaledShell.pipe(Layer.provide(KernelShell.layer)),
)

const journaled = JournaledSpellcasting.layer.pipe(Layer.provide(over(journaledBranches)))

/** A daemon for each of the three branches; their clients know nothing but the journal. */
const daemonBranches = Layer.merge(
  DaemonFileSystem.layer.pipe(Layer.merge(FileSystemDaemon.layer.pipe(Layer.provide(MemoryFileSystem.layer)))),
  daemonShell.pipe(Layer.merge(ShellDaemon.layer.pipe(Layer.provide(KernelShell.layer)))),
)
const daemons = DaemonSpellcasting.layer.pipe(
  Layer.merge(SpellcastingDaemon.layer.pipe(Layer.provide(over(daemonBranches)))),
)

if (process.platform !== "win32") spellsContract("this machine", runWith(over(local)), { sharesFiles: true })
spellsContract("a sandbox", runWith(over(sandbox)), { sharesFiles: true })
spellsContract("memory", runWith(over(memory)))
spellsContract("mocks", runWith(over(mock)))
spellsContract("journaled", runWith(journaled.pipe(Layer.provide(MemoryJournal.layer))))
spellsContract("three daemons", runWith(daemons.pipe(Layer.provide(MemoryJournal.layer))), { hasInput: false })
spellsContract("replayed", (test) =>
  Effect.runPromise(
    Effect.gen(function* () {
      yield* Effect.provide(test, journaled)
      // Neither files nor a shell are there now.
      yield* Effect.provide(test, ReplaySpellcasting.layer)
    }).pipe(Effect.provide(MemoryJournal.layer)),
  ))
