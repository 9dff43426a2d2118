import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"

/** Tests and examples import the package by its own name, as users do: each public subpath is the source it names. */
const aliases = Object.entries(
  JSON.parse(readFileSync(new URL("./deno.json", import.meta.url), "utf8")).exports,
).map(([subpath, file]) => ({
  find: new RegExp(`^@sluice/shell${subpath.slice(1)}$`),
  replacement: fileURLToPath(new URL(String(file), import.meta.url)),
}))

// Suites that run alone, each by its folder. `npm test` runs the packaging suite once, not on each runtime: it builds,
// packs and installs. Two take minutes and run only when asked for: real programs in the kernel (slow), and the server
// under load, of which the usual suite has shorter runs (load).
const alone = ["package", "slow", "load"].find((name) => name === process.env.SLUICE_SUITE)
const minutes = alone === "slow" || alone === "load"
/** Suites that are no part of the others. */
const apart = ["tests/package/**", "tests/slow/**"]

// `npm run test:quick`: values, streams, the kernel, the shell's grammar; few processes and no server.
export const quick = [
  "tests/{architecture,auth,base,branch,client,command,history,sandbox,shell-language,window,wire}/**",
  "tests/shell",
  "tests/policy",
  "tests/policy/launchers",
  "tests/kernel",
  "tests/kernel/{fs,isolate,process,regex,sandbox,shell,utilities,wasi}/**",
  "tests/leaves/{kernel,mock}/**",
  "tests/journal/{GroupCommitter,TailReader,hashChain,scanBatches,verify}.test.ts",
  "tests/journal/redaction/Redactor.test.ts",
  "tests/journal/stores/memory/**",
  "tests/mcp/{Sessions,commandTools,messageLines,yaml}.test.ts",
]

const runtime = ["deno", "bun"].find((name) => process.versions[name] !== undefined) ?? "node"

// A file that is named after a runtime (deno.test.ts) is about that runtime, and runs there alone.
const others = ["deno", "bun", "node"].filter((name) => name !== runtime).map((name) => `tests/**/${name}.test.ts`)

// `node scripts/matrix.mjs`: the contract of every leaf, on every runtime, also where the others are named after one.
const isMatrix = process.env.SLUICE_SUITE === "matrix"
if (isMatrix) others.length = 0
const folder = fileURLToPath(new URL("./tests", import.meta.url))
const contracts = !isMatrix ? [] : readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) =>
    /\b(?:shellContract|filesContract|suiteUnderWine)\(/.test(readFileSync(`${folder}/${file}`, "utf8"))
  )
  .map((file) => `tests/${file}`)

// What is about the repository, and not about a runtime.
const once = ["tests/architecture/**", "tests/bench/**", "tests/docs/{links,speed}.test.ts"]
if (runtime !== "node" && process.env.SLUICE_SUITE !== "quick" && !isMatrix) others.push(...once)

// Compare what we compute with what programs of the system answer. Both are the same on every runtime.
const oracles = ["tests/{files,shell-language}/**/*.oracle.test.ts", "tests/shell-language/oracle.test.ts"]
if (runtime !== "deno") others.push(...oracles)

// Everything runs on Deno. On Node, which has Deno's engine, runs what touches the runtime: its processes, files, sockets,
// workers and databases, and the command line. The rest computes the same with the same engine. Of the local leaf only the
// contract runs here: the oldest Node (below) runs all of it. Everything passes on Node as well: `SLUICE_SUITE=everything`
// runs it.
export const onNode = [
  ...once,
  "tests/agent/{Agent,AiSdk,AiSdk.versions,container,kill,providers}.test.ts",
  "tests/cli/files/*.test.ts",
  "tests/cli/daemon/daemon.test.ts",
  "tests/cli/{commandInput,nodeServer,pipes,serveMcp,signals,terminal,usage}.test.ts",
  "tests/console/**/*.test.ts",
  "tests/docs/**/*.test.ts",
  "tests/code/{languages,run}.test.ts",
  "tests/compute/killedHost.test.ts",
  "tests/{database,egress,fetch,secrets}/*.test.ts",
  "tests/cli/terminal/{crash,serve}.test.ts",
  "tests/http/{drain,input,life,process,socket}.test.ts",
  "tests/http/terminals/{embedded,terminals}.test.ts",
  "tests/journal/stores/sqlite/SqliteJournal.test.ts",
  "tests/journal/stores/sqlite/{readOnly,retryWhileBusy,watch}.test.ts",
  "tests/journal/stores/ndjson/{NdjsonJournal,readOnly,fileLock}.test.ts",
  "tests/kernel/{edge,fs,isolate}/**/*.test.ts",
  "tests/leaves/files/*.test.ts",
  "tests/leaves/local/node.test.ts",
  "tests/host/terminal/*.test.ts",
  "tests/leaves/local/{spawner,windows}/!(ChildProcessSpawner).test.ts",
  "tests/http/files/*.test.ts",
  "tests/leaves/remote/edge/*.test.ts",
  "tests/leaves/remote/filesContract.test.ts",
  "tests/leaves/{faults,s3/network}.test.ts",
  "tests/leaves/container/podman/runtimes.test.ts",
  "tests/leaves/ssh/smoke.test.ts",
  "tests/mcp/serveStdio.test.ts",
  "tests/policy/witness/{attacks,exchanged,generated,witness}.test.ts",
  "tests/run/**/*.test.ts",
  "tests/sandbox/**/*.test.ts",
]

// Bun has an engine of its own, so nearly everything runs there. Left out is what lies above the runtime and costs much: agents,
// their tools and command lines, storms. They pass there as well: `SLUICE_SUITE=everything` runs them.
export const notOnBun = [
  "tests/agent/!(Agent|container|kill|realPlaces).test.ts",
  "tests/cli/agent/!(secrets).test.ts",
  "tests/cli/config/*.test.ts",
  "tests/cli/journal/{operator,processes}.test.ts",
  "tests/cli/serverEnvironment.test.ts",
  "tests/{cli/mcp,mcp}/spells.test.ts",
  "tests/{code,git,spell}/*.test.ts",
  "tests/journal/stores/postgres/server/outage.test.ts",
  "tests/kernel/shell/limits.test.ts",
  "tests/leaves/isolated/protection.test.ts",
  "tests/leaves/remote/{RemoteFileSystem,filesAttacks}.test.ts",
  "tests/leaves/ssh/watchdogScript.test.ts",
  "tests/load/{ending,readers}.test.ts",
  "tests/mcp/clients.test.ts",
  "tests/policy/witness/{everyday,straceLog}.test.ts",
]

/** Globs of test files, of those of folders. */
export const filesOf = (globs: ReadonlyArray<string>): Array<string> =>
  globs.map((glob) => glob.endsWith(".ts") ? glob : `${glob}/*.test.ts`)

// The oldest Node that is supported (tests/node22): what its own modules do, above all its SQLite.
export const onOldestNode = [
  "tests/cli/signals.test.ts",
  "tests/journal/stores/sqlite/**/*.test.ts",
  "tests/journal/crash.test.ts",
  "tests/host/**/*.test.ts",
  "tests/leaves/local/{,end/,plan/,start/}!(LocalShell).test.ts",
  "tests/leaves/local/spawner/node.test.ts",
  "tests/run/**/*.test.ts",
]

// Files that share a worker with others of this list: they change nothing of the process, and do not look at its memory.
// A worker of its own costs a file 0.6 s of processor time on Deno and 1 s on Bun; most of these files take less.
export const sharing = [
  "tests/{auth,base,branch,client,command,egress,fetch,files,history,server,shell-language,spell,wire}/**",
  "tests/window/!(transform).test.ts",
  "tests/secrets/!(EnvironmentSecrets).test.ts",
  "tests/{console/page,journal/redaction,leaves/mock,leaves/ssh,shell}/**",
  "tests/{agent,agent/support,code,compute,journal,mcp,net,run,sandbox}",
  "tests/cli/!(compileCache|isolated|nodeServer|serverEnvironment).test.ts",
  "tests/cli/{agent,code,config,files,journal,mcp,sandbox,serve}",
  "tests/http/!(hostile).test.ts",
  "tests/http/{approvals,files,terminals}",
  "tests/journal/stores/{memory,ndjson}",
  "tests/journal/stores/sqlite/!(deno|diskFull|texts).test.ts",
  "tests/kernel",
  "tests/kernel/{fs,isolate,process,regex,sandbox,shell,shell/expand,utilities,wasi}/**",
  "tests/leaves/files/!(LocalWatch).test.ts",
  "tests/leaves/{container,isolated/seccomp,kernel,local/dry-run,remote,replay,s3}",
  "tests/policy",
  "tests/policy/launchers",
  "tests/terminal/!(Terminals).test.ts",
]

/** Suites that are a part of the whole, by their names. */
const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...{ quick, node22: onOldestNode, matrix: contracts },
  // Generated scripts behind a policy, for as long as `SLUICE_WITNESS_SECONDS` says.
  witness: ["tests/policy/witness/generated.test.ts"],
}
const part = parts[process.env.SLUICE_SUITE ?? ""]

if (runtime === "bun" && process.env.SLUICE_SUITE === undefined) others.push(...notOnBun)

// What scripts/test.mjs leaves out because this system has not what it needs: globs, one a line.
const leftOut = (process.env.SLUICE_LEFT_OUT_FILES ?? "").split("\n").filter((glob) => glob !== "")

/** Whether this run is the one on Node, of a part of the suite. */
const isNodeSample = runtime === "node" && process.env.SLUICE_SUITE === undefined

const include = alone !== undefined
  ? [`tests/${alone}/**/*.test.ts`]
  : part !== undefined
  ? filesOf(part)
  : isNodeSample
  ? filesOf(onNode)
  : ["tests/**/*.test.ts"]
const exclude = [...configDefaults.exclude, ...(alone === undefined ? apart : []), ...others, ...leftOut]

// The parts of `sharing` that the runs on Node include.
const sharedOnOldest = ["tests/journal/stores/sqlite/!(deno|diskFull|texts).test.ts", "tests/run"]
const sharedOnNode = [
  "tests/{egress,fetch,run,sandbox}",
  "tests/secrets/!(EnvironmentSecrets).test.ts",
  "tests/cli/files",
  "tests/cli/{commandInput,pipes,serveMcp,signals,terminal,usage}.test.ts",
  "tests/http/files",
  "tests/kernel/{fs,isolate}/**",
  "tests/leaves/files/!(LocalWatch).test.ts",
]
const onePart = alone !== undefined || isMatrix
// Nothing of the quick suite needs a worker of its own.
const shared = onePart
  ? []
  : filesOf(part === onOldestNode ? sharedOnOldest : isNodeSample ? sharedOnNode : part ?? sharing)

// Races against the machine: it runs when the others have ended.
const last = alone === undefined && !isMatrix && part !== quick && part !== parts["witness"]
  ? ["tests/leaves/local/hoppers.test.ts"]
  : []

export default defineConfig({
  resolve: { alias: aliases },
  test: {
    projects: [
      { extends: true, test: { name: "alone", include, exclude: [...exclude, ...shared, ...last] } },
      ...(shared.length === 0
        ? []
        : [{ extends: true, test: { name: "shared", include: shared, exclude, isolate: false } }]),
      ...(last.length === 0
        ? []
        : [{ extends: true, test: { name: "last", include: last, exclude, sequence: { groupOrder: 1 } } }]),
    ],
    // The forks pool crashes on Bun; the threads pool needs `parentPort.removeAllListeners`, which Deno has not.
    pool: runtime === "bun" ? "threads" : "forks",
    globalSetup: ["tests/support/endLeftovers.ts", "tests/support/bundleCli.ts"],
    setupFiles: "tests/support/compareBytes.ts",
    // How long something may take on a busy machine is no promise of ours: these are for tests that would hang.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // More than two on two cores, since many tests wait for processes: three took Bun 423 s, two took it 500 s.
    // Suites of minutes look at the memory of processes.
    maxWorkers: minutes ? 1 : Math.max(3, availableParallelism()),
    // What a test prints matters when it fails.
    silent: minutes ? false : "passed-only",
  },
})
