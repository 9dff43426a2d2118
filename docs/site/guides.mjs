/**
 * List of the guides: order of the site's sidebar, of `llms.txt` and of the index page.
 *
 * @module
 */

/** @typedef {{ title: string, file: string, about: string }} Guide */

/** @type {ReadonlyArray<{ group: string, pages: ReadonlyArray<Guide> }>} */
export const guides = [
  {
    group: "Start",
    pages: [
      {
        title: "Getting started",
        file: "getting-started.md",
        about: "install, run a first command, read its output",
      },
      {
        title: "Scripts",
        file: "scripts.md",
        about: "promises and Web Streams, without Effect",
      },
      {
        title: "Coming from zx, execa, dax or Bun.$",
        file: "coming-from.md",
        about: "tables of equivalents",
      },
      {
        title: "Coming from just-bash",
        file: "coming-from-just-bash.md",
        about: "its API over the sandbox, bash-tool, what differs",
      },
      {
        title: "Glossary",
        file: "glossary.md",
        about: "leaf, branch, spell, window, chunk, journal, daemon, lease, layer, run, session",
      },
    ],
  },
  {
    group: "Run commands",
    pages: [
      {
        title: "Output and windows",
        file: "output-and-windows.md",
        about: "chunks, lines, bytes, windowing policies",
      },
      {
        title: "Failures",
        file: "failures.md",
        about: "exit codes, faults and their reasons, retries",
      },
      {
        title: "Termination",
        file: "termination.md",
        about: "timeouts, cancellation, signals, process trees",
      },
      {
        title: "Concurrency and limits",
        file: "concurrency.md",
        about: "admission, queues, memory and CPU limits",
      },
      {
        title: "Pipelines and input",
        file: "pipelines.md",
        about: "join commands, feed stdin, files",
      },
      {
        title: "The portable shell",
        file: "portable-shell.md",
        about: "scripts of bash without a shell of the system",
      },
      {
        title: "Terminals",
        file: "terminals.md",
        about: "programs that prompt: type, wait, read the screen, come back",
      },
      {
        title: "Code",
        file: "code.md",
        about: "run source code in a named language",
      },
    ],
  },
  {
    group: "Record and test",
    pages: [
      {
        title: "Journals",
        file: "journals.md",
        about: "record, tail, audit, verify and replay commands",
      },
      {
        title: "Daemons",
        file: "daemons.md",
        about: "run commands that other processes request in a journal",
      },
      {
        title: "Branches",
        file: "branches.md",
        about: "journal, replay and serve a service of your own",
      },
      {
        title: "Pieces and bytes of a branch",
        file: "branch-pieces.md",
        about: "answers in pieces, content beside a request, requests that may run again",
      },
      {
        title: "Testing",
        file: "testing.md",
        about: "mock, record and replay commands in tests",
      },
      {
        title: "Telemetry",
        file: "telemetry.md",
        about: "spans, metrics, logs",
      },
    ],
  },
  {
    group: "Serve and isolate",
    pages: [
      {
        title: "Sandbox",
        file: "sandbox.md",
        about: "run scripts and WASI programs without a subprocess",
      },
      {
        title: "Utilities of the sandbox",
        file: "sandbox-utilities.md",
        about: "awk, jq, curl, tar, rg and the others, and how they differ",
      },
      {
        title: "Extensions, lazy files and seeds",
        file: "sandbox-extensions.md",
        about: "functions as commands, files on first read, runs that repeat",
      },
      {
        title: "Changes in a sandbox",
        file: "sandbox-changes.md",
        about: "fork, diff, commit to a folder, snapshots",
      },
      {
        title: "Network of a sandbox",
        file: "sandbox-network.md",
        about: "curl and wget over rules, with tokens that stay outside",
      },
      {
        title: "git, sqlite3, JavaScript and Python",
        file: "sandbox-tools.md",
        about: "programs of a sandbox that npm packages bring",
      },
      {
        title: "Isolation",
        file: "isolation.md",
        about: "isolated commands: what holds, what does not, engines",
      },
      {
        title: "Network of isolated commands",
        file: "isolation-network.md",
        about: "hosts that isolated commands reach through a proxy",
      },
      {
        title: "Access policy",
        file: "policy.md",
        about: "allowed commands and directories; what that promises",
      },
      {
        title: "Scripts behind a policy",
        file: "policy-scripts.md",
        about: "explain a script before it runs; its files and utilities",
      },
      {
        title: "git behind a policy",
        file: "policy-git.md",
        about: "commands, options and repositories that git may use",
      },
      { title: "MCP", file: "mcp.md", about: "commands as tools for agents" },
      {
        title: "MCP in your program",
        file: "mcp-server.md",
        about: "serve the tools from a Hono app or an MCP server of your own",
      },
      {
        title: "HTTP server",
        file: "http-server.md",
        about: "commands, files and approvals over HTTP; runs that outlive their connection; tokens",
      },
      {
        title: "Operate a server",
        file: "http-operations.md",
        about: "systemd, containers, TLS, upgrades, metrics",
      },
      {
        title: "Remote terminals",
        file: "remote-terminals.md",
        about: "detach from a command, come back to it, watch it, type into it on a page",
      },
      {
        title: "Remote and edge",
        file: "remote-and-edge.md",
        about: "use another machine's shell; edge isolates",
      },
    ],
  },
  {
    group: "Files and agents",
    pages: [
      {
        title: "Files",
        file: "files.md",
        about: "read and write files below one root: on a disk, in memory, in a sandbox, on a server",
      },
      {
        title: "Edit, search and watch files",
        file: "edit-and-search.md",
        about: "exact replacements, patches, search, changes, snapshots",
      },
      {
        title: "URLs and repositories",
        file: "urls-and-repositories.md",
        about: "URLs under a network policy; git, hardened; GitHub and GitLab",
      },
      {
        title: "Secrets",
        file: "secrets.md",
        about: "tokens by name from the environment, files, commands, Vault, AWS; references in commands",
      },
      {
        title: "Databases",
        file: "database.md",
        about: "query and change PostgreSQL and SQLite; read-only that the database enforces",
      },
      {
        title: "Spells",
        file: "spells.md",
        about: "typed tools for agents: built-in ones, your own, where they act",
      },
      {
        title: "Write a spell",
        file: "write-spells.md",
        about: "parameters, routes and failures; Schemas for providers",
      },
      {
        title: "Agents",
        file: "agents.md",
        about: "let a model work with tools: limits, journals, replay, sluice agent",
      },
      {
        title: "Approval",
        file: "approval.md",
        about: "what an agent does without asking, and who is asked about the rest",
      },
      {
        title: "Containers",
        file: "containers.md",
        about: "commands, files and terminals in podman and docker: own, shared or existing containers, limits, faults",
      },
      {
        title: "SSH and SFTP",
        file: "ssh.md",
        about: "commands and files of a server: host keys, authentication, lost connections, transfers",
      },
      {
        title: "Files on S3",
        file: "s3.md",
        about: "a bucket as files: services, many writers, large files, faults",
      },
      {
        title: "Where an agent acts",
        file: "compositions.md",
        about: "this machine, a sandbox, a server, mocks: one book, other layers",
      },
      {
        title: "An agent's work on a server",
        file: "compositions-remote.md",
        about: "files and commands over SSH, or over HTTP",
      },
    ],
  },
  {
    group: "Reference",
    pages: [
      {
        title: "What each leaf does",
        file: "leaves.md",
        about: "leaf by capability by runtime, as the tests ran it",
      },
      {
        title: "Command line",
        file: "command-line.md",
        about: "the program sluice, its exit statuses and files",
      },
      {
        title: "Settings of the command line",
        file: "command-line-settings.md",
        about: "environment variables and configuration files",
      },
      {
        title: "Windows",
        file: "windows.md",
        about: "programs, quoting and termination on Windows",
      },
      {
        title: "Performance",
        file: "performance.md",
        about: "what commands cost, and how to spend less",
      },
      {
        title: "Speed",
        file: "speed.md",
        about: "figures beside the bare runtimes and other packages",
      },
      {
        title: "Troubleshooting",
        file: "troubleshooting.md",
        about: "messages, causes and remedies",
      },
    ],
  },
]
