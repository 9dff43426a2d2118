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
  "tests/kernel/{extension,fs,network,process,regex,sandbox,shell,utilities,wasi,worker}/**",
  "tests/leaves/{kernel,mock}/**",
  "tests/journal/{GroupCommitter,TailReader,hashChain,scanBatches,verifyStore}.test.ts",
  "tests/journal/redaction/Redactor.test.ts",
  "tests/journal/stores/memory/**",
  "tests/mcp/{Sessions,commandTools,MessageLineReader,toYaml}.test.ts",
]

const runtime = ["deno", "bun"].find((name) => process.versions[name] !== undefined) ?? "node"

// A file with the name of a runtime (deno.test.ts, sftp.deno.test.ts) is about that runtime, or is the same on each and takes
// long: it runs there alone.
const others = ["deno", "bun", "node"].filter((name) => name !== runtime)
  .map((name) => `tests/**/{${name},*.${name}}.test.ts`)

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
export const once = ["tests/architecture/**", "tests/bench/**", "tests/docs/{links,speed}.test.ts"]
if (runtime !== "node" && process.env.SLUICE_SUITE !== "quick" && !isMatrix) others.push(...once)

// Corpora that are not in the repository: each in the folder that its variable names.
for (const name of ["awk", "grep", "jq", "justBash", "oils", "sed"]) {
  const variable = `SLUICE_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`
  if (process.env[variable] === undefined) others.push(`tests/corpora/${name}.test.ts`)
}

/** Whether this is a suite of `npm test`. Without it `exhaustive` runs too, also what is named: `npm run test:all` and single files. */
const isUsual = process.env.SLUICE_SUITE === "usual"

// Compare what we compute with what programs of the system answer. Both are the same on every runtime.
export const oracles = [
  "tests/files/**/*.oracle.test.ts",
  "tests/kernel/fs/differential.test.ts",
  "tests/kernel/shell/random.test.ts",
  "tests/leaves/files/{oracle,searchRipgrep}.test.ts",
  // On Bun and Node, git and other commands behind a policy: tests/policy/{gitGuard,script}, tests/policy/witness/attacks.
  "tests/policy/{gitAttacks,scriptCommands.oracle}.test.ts",
  "tests/policy/witness/everyday.test.ts",
  "tests/shell-language/oracle.test.ts",
]
if (runtime !== "deno") others.push(...oracles)

// `npm run test:all` runs everything on Deno; the next three lists are what it leaves out on Bun, on Node or on both.

// On Deno alone: programs do the work, which are the same whichever runtime starts them. How each runtime starts programs:
// tests/{host,leaves/local,run,sandbox}; what else the command line has of it: tests/cli/{commandInput,files,pipes,signals}.
export const onDenoAlone = [
  // git, behind a policy and in front of hosts: tests/policy/script, tests/fetch.
  "tests/git/**/*.test.ts",
  "tests/policy/{explain,gitEveryday,gitGuard,gitPlaceRefusal}.test.ts",
  "tests/policy/{launchers,witness}/*.test.ts",
  "tests/journal/redaction/secretPrograms.test.ts",
  // The walls of bubblewrap and unshare: tests/leaves/isolated/contract.
  "tests/leaves/isolated/{network,protection,unshareScript,walls}.test.ts",
  // What the shell of a server does: tests/leaves/ssh/smoke.
  "tests/leaves/ssh/{startScript,watchdogScript}.test.ts",
  // PostgreSQL's server: tests/database/PostgresDatabase.
  "tests/journal/stores/postgres/server/*.test.ts",
  // Flags and texts of subcommands by the real program: tests/cli/{usage,exitStatus}, tests/history.
  "tests/cli/{code,config,demo,sandbox}/*.test.ts",
  "tests/cli/journal/!(journalRun|postgres|processes).test.ts",
  "tests/cli/{enterFirstRoot,isolated}.test.ts",
]

// On Deno and Node: storms, kills, and what is built on parts that each runtime proves on its own.
export const notOnBun = [
  // Hosts that are killed or stopped: tests/journal/crash, tests/compute/killedHost.
  "tests/agent/{hops,kill,paused}.test.ts",
  // Agents and MCP by the real program: tests/agent, tests/mcp/serveStdio.
  "tests/cli/{agent,mcp}/*.test.ts",
  // Programs in other languages: tests/leaves/local, tests/run.
  "tests/code/*.test.ts",
  // A journal around the local leaf, whose own contract runs on each: tests/leaves/local/bun.
  "tests/compute/contract.test.ts",
  // Slow readers and endings under load: tests/http/{drain,socket}.
  "tests/load/{ending,readers}.test.ts",
  // Other clients: tests/mcp/{mcpRoutes,scenarios,serveStdio}.
  "tests/mcp/{clients,conformance/conformance,spells}.test.ts",
  // Decisions about commands: tests/policy/script.
  "tests/policy/!(script).test.ts",
]

// On Deno and Bun: what only computes, since Node has the engine of Deno, and more of the same kinds.
export const notOnNode = [
  // How the kernel gives the runtime its turns: tests/kernel/{Kernel,edge,sandbox}.
  "tests/kernel/{fs/memory,regex/Regex}.test.ts",
  "tests/kernel/{process,shell,shell/expand,utilities,utilities/awk,wasi}/*.test.ts",
  "tests/leaves/{kernel,mock}/*.test.ts",
  "tests/branch/!(HostIdentity).test.ts",
  "tests/{command,history,shell-language,spell,window,wire}/**/*.test.ts",
  "tests/{database/sqlScanner,journal/redaction/Redactor}.test.ts",
  "tests/journal/stores/memory/*.test.ts",
  // Files of the machine: tests/leaves/files.
  "tests/files/*.test.ts",
  // Models of no network, and packages of providers: tests/agent/{AiSdk,AiSdk.versions}, tests/cli/agent/agent.
  "tests/agent/{AiSdk.provider,brokenWire,hostileModel}.test.ts",
  // Their stores: tests/journal/stores.
  "tests/cli/journal/{journalRun,postgres,processes}.test.ts",
  "tests/journal/processes.test.ts",
  // Flags of a server: tests/cli/{listenNode,serve/serve}.
  "tests/cli/serverEnvironment.test.ts",
  // Leaves around the local leaf: tests/leaves/local/node.
  "tests/{compute/daemonContract,leaves/replay/contract}.test.ts",
  "tests/compute/{daemonProcesses,killedHost}.test.ts",
  // Storms of writers, large files, and a crowd of clients: tests/leaves/files, tests/leaves/remote/filesContract, tests/http.
  "tests/leaves/{files/manyWriters,remote/filesAttacks}.test.ts",
  "tests/load/requests.test.ts",
  "tests/mcp/terminals.test.ts",
  // The step `node22` runs these, on the oldest Node.
  "tests/journal/crash.test.ts",
  "tests/leaves/local/{exchangedDirectory,hoppers,leaks,memory,orphans}.test.ts",
]
if (process.env.SLUICE_SUITE === "all" && runtime !== "deno") {
  others.push(...onDenoAlone, ...(runtime === "bun" ? notOnBun : notOnNode))
}

// What `npm test` leaves to `npm run test:all`. Each line says what still proves it in `npm test`.
export const exhaustive = [
  // Cases of our own, with the answers written down: tests/{files,kernel/fs,kernel/shell,leaves/files,shell-language}.
  ...oracles,
  // A server and its clients in one process: tests/http, tests/server, tests/client.
  "tests/load/*.test.ts",
  // Command lines, quoting and the choice of programs of Windows: tests/host/windows, tests/base.
  "tests/leaves/local/windows/{contract,windows}.test.ts",
  // Decisions and refusals without strace: tests/policy, tests/script, tests/policy/witness/witness.
  "tests/policy/witness/{attacks,exchanged,generated}.test.ts",
  // Crashes that are simulated in one process: the contract of journals, tests/branch, tests/compute/outage.
  "tests/{journal,journal/stores/ndjson,cli/terminal}/crash.test.ts",
  "tests/agent/{hops,kill,realPlaces}.test.ts",
  "tests/compute/{daemonProcesses,killedHost}.test.ts",
  "tests/{journal,cli/journal}/processes.test.ts",
  // PostgreSQL's server: the contract of journals on the other stores, tests/database/PostgresDatabase.
  "tests/journal/stores/postgres/server/*.test.ts",
  "tests/leaves/ssh/{loss/loss,sftp/hostile}.deno.test.ts",
  // The ends of process trees, one at a time: the contract of shells (trees, ending), tests/leaves/local/end.
  "tests/leaves/local/{exchangedDirectory,hoppers,leaks,memory}.test.ts",
  "tests/host/terminal/storm.test.ts",
  // Attacks, by the rules that they try to break: tests/{kernel,policy}, tests/leaves/{isolated,remote}.
  "tests/{agent/hostileModel,leaves/remote/filesAttacks}.test.ts",
  "tests/kernel/{shell/hostile,utilities/endless,utilities/hostile}.test.ts",
  "tests/leaves/isolated/{escapes/escapes.deno,protection}.test.ts",
  // Each permission of Deno with all: tests/leaves/local/deno; hosts that die, in one process: tests/leaves/local/end.
  "tests/leaves/local/{leastPermissions,orphans}.test.ts",
  // The server's settings one by one, without its process: tests/cli/{serverFlags,serverRedirects}.
  "tests/cli/serverEnvironment.test.ts",
  // The walls themselves: tests/leaves/isolated/{contract,network,walls}.
  "tests/leaves/isolated/programs/programs.deno.test.ts",
  // The contract of containers, and their files: tests/leaves/container/{contract,files}.
  "tests/leaves/container/{podman/*,shells.deno}.test.ts",
  // The route by requests of our own: tests/mcp/{mcpRoutes,scenarios}.
  "tests/mcp/{clients,conformance/conformance}.test.ts",
  // The page's parts without a browser, and its route: tests/console/{Console,page}; the sandbox for an edge: edge/workerd.
  "tests/{console,docs/try}/*.node.test.ts",
  "tests/kernel/edge/{browser,parts}/*.node.test.ts",
  // Lost connections and attacks on files of a server: tests/leaves/remote/filesContract, tests/http/files.
  "tests/leaves/remote/RemoteFileSystem.test.ts",
  // Login shells, odd commands and lost connections over SSH: tests/leaves/ssh/{contract,files}.
  "tests/leaves/ssh/{commands,connection,logins,sftp/reconnect}.deno.test.ts",
  "tests/leaves/ssh/watchdogScript.test.ts",
  // Terminals by other ways: tests/terminal, tests/http/terminals, tests/cli/terminal/local.
  "tests/{cli/terminal/remote,leaves/container/terminal.deno,mcp/terminals,terminal/container.deno}.test.ts",
  // Leaves around the local leaf: tests/compute/{contract,DaemonShell}, tests/leaves/replay/ReplayShell.
  "tests/{compute/daemonContract,leaves/replay/contract}.test.ts",
  // More of git, and programs that print secrets: tests/policy/gitGuard, tests/git/{GitHubGit,ShellGit}, Redactor.
  "tests/policy/{explain,gitEveryday,gitPlaceRefusal,launchers/git}.test.ts",
  "tests/git/{GitLabGit,hosts/gitbeaker,hosts/octokit}.test.ts",
  "tests/journal/redaction/secretPrograms.test.ts",
  // Scripts as bash runs them: tests/kernel/shell, tests/script/{makeScriptRuns,makePortableRuns}.
  "tests/script/{MemoryWatch,ownStdin,portable,substituteFiles}.test.ts",
  // Huge values and bounds, one by one: tests/kernel/shell, tests/script.
  "tests/kernel/shell/{limits,stalls}.test.ts",
  // Storms of writers, and what a killed leaf leaves: the contract of files, tests/leaves/isolated/placeholders.
  "tests/leaves/{files/manyWriters,isolated/cleaning/cleaning.deno}.test.ts",
  // Models that pause or break off, and the AI SDK's own providers: tests/agent/{Agent,AiSdk}.
  "tests/agent/{AiSdk.provider,brokenWire,paused}.test.ts",
  // The same options, spells and agents by the command line: tests/{agent,history,policy}, tests/leaves/isolated, tests/mcp.
  "tests/cli/{agent/agent,agent/approval,agent/secrets,enterFirstRoot,isolated,journal/operator,mcp/spells}.test.ts",
]

// What touches the runtime, which `npm test` runs on Bun and Node: processes, files, sockets, workers, databases, signals
// and the command line. The rest computes the same with the engine of Deno, or one of its kind.
export const ofRuntime = [
  "tests/cli/{commandInput,listenNode,pipes,serveMcp,signals,terminal}.test.ts",
  "tests/cli/files/*.test.ts",
  "tests/database/{Postgres,Sqlite}Database.test.ts",
  "tests/{egress/EgressProxy,fetch/FetchLeaf,fetch/tls,mcp/serveStdio}.test.ts",
  "tests/http/{disconnectGrace,drain,input,process,socket}.test.ts",
  "tests/http/terminals/embedded.test.ts",
  "tests/journal/stores/ndjson/{NdjsonJournal,fileLock}.test.ts",
  "tests/journal/stores/sqlite/{SqliteJournal,retryWhileBusy,watchVersion}.test.ts",
  "tests/kernel/edge/workerd/workerd.node.test.ts",
  "tests/kernel/worker/*.test.ts",
  "tests/leaves/files/{LocalFileSystem,LocalWatch,hostBackend}.test.ts",
  "tests/leaves/local/{bun,node}.test.ts",
  "tests/leaves/local/spawner/parent.test.ts",
  "tests/host/terminal/engines.test.ts",
  "tests/leaves/local/windows/release.test.ts",
  "tests/leaves/{remote,s3}/edge/*.test.ts",
  "tests/leaves/{s3/network,ssh/smoke}.test.ts",
  "tests/run/{run,stdio,terminal}.test.ts",
  "tests/sandbox/*.test.ts",
  "tests/secrets/{Command,File}Secrets.test.ts",
]

/** Globs of test files, of those of folders. */
export const filesOf = (globs: ReadonlyArray<string>): Array<string> =>
  globs.map((glob) => glob.endsWith(".ts") ? glob : `${glob}/*.test.ts`)

// The oldest Node that is supported (tests/node22): what its own modules do, above all its SQLite. The contract of spawners
// runs on the current Node; the processes that ours starts are those of the leaf, which is here.
export const onOldestNode = [
  "tests/cli/signals.test.ts",
  "tests/journal/stores/sqlite/**/*.test.ts",
  "tests/journal/crash.test.ts",
  "tests/host/*.test.ts",
  "tests/host/{faults,runtimes,terminal,windows}/**/*.test.ts",
  "tests/leaves/local/{,end/,plan/,start/}!(LocalShell).test.ts",
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
  "tests/journal/stores/sqlite/!(permissions.deno|diskFull|texts).test.ts",
  "tests/kernel",
  "tests/kernel/{everyday,extension,fs,network,process,regex,sandbox,shell,shell/expand,utilities,wasi,worker}/**",
  "tests/leaves/files/!(LocalWatch).test.ts",
  "tests/leaves/container/!(*.deno).test.ts",
  "tests/leaves/{isolated/seccomp,kernel,local/dry-run,remote,replay,s3}",
  "tests/{bench,policy}",
  "tests/policy/launchers",
  "tests/cli/terminal/{ConnectionNotice,TerminalModes}.test.ts",
  "tests/database/{MockDatabase,firstWord,sqlScanner}.test.ts",
  "tests/docs/{guides,leaves,search}.test.ts",
  "tests/host/{digest,environment,resolveExecutable,runMarker}.test.ts",
  "tests/host/{runtimes/byteReaders,windows/windowsCommandLine}.test.ts",
  "tests/journal/stores/{storeOptions,postgres/*}.test.ts",
  "tests/leaves/isolated/{advice,boundMounts,fileRules,findNested,options,placeholders,seatbeltProfile}.test.ts",
  "tests/leaves/local/{DryRunShell,LocalShellConfig,end/ProcessTable}.test.ts",
  "tests/leaves/local/plan/!(withInheritedVariables).test.ts",
  "tests/leaves/local/spawner/{OutputPipe,encodeText,inputSink,planProcess}.test.ts",
  "tests/terminal/!(Terminals|container.deno).test.ts",
]

/** Suites that are a part of the whole, by their names. */
const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...{ quick, node22: onOldestNode, matrix: contracts },
  // Generated scripts behind a policy, for as long as `SLUICE_WITNESS_SECONDS` says.
  witness: ["tests/policy/witness/generated.test.ts"],
}
const part = parts[process.env.SLUICE_SUITE ?? ""]

if (isUsual) others.push(...exhaustive)

// What scripts/test.mjs leaves out because this system has not what it needs: globs, one a line.
const leftOut = (process.env.SLUICE_LEFT_OUT_FILES ?? "").split("\n").filter((glob) => glob !== "")

/** Whether this run has the tests of the runtime alone, beside what is run once. */
const isOfRuntime = isUsual && runtime !== "deno"

const include = alone !== undefined
  ? [`tests/${alone}/**/*.test.ts`]
  : part !== undefined
  ? filesOf(part)
  : isOfRuntime
  ? filesOf([...ofRuntime, ...once])
  : ["tests/**/*.test.ts"]
const exclude = [...configDefaults.exclude, ...(alone === undefined ? apart : []), ...others, ...leftOut]

// The parts of `sharing` that these runs include.
const sharedOnOldest = ["tests/journal/stores/sqlite/!(permissions.deno|diskFull|texts).test.ts", "tests/run"]
const sharedOfRuntime = [
  "tests/cli/{commandInput,pipes,serveMcp,signals,terminal}.test.ts",
  "tests/cli/files",
  "tests/{egress/EgressProxy,fetch/FetchLeaf,fetch/tls,mcp/serveStdio}.test.ts",
  "tests/database/{Postgres,Sqlite}Database.test.ts",
  "tests/kernel/worker",
  "tests/leaves/files/{LocalFileSystem,hostBackend}.test.ts",
  "tests/run/{run,stdio,terminal}.test.ts",
  "tests/sandbox",
  "tests/secrets/{Command,File}Secrets.test.ts",
]
const onePart = alone !== undefined || isMatrix
// Nothing of the quick suite needs a worker of its own.
const shared = onePart
  ? []
  : filesOf(part === onOldestNode ? sharedOnOldest : isOfRuntime ? sharedOfRuntime : part ?? sharing)

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
