/**
 * Programs that run other programs, and what is done about each. A row is a claim about some names; a program that is
 * not here is taken to run nothing but itself, whatever its arguments. Extend it by a row and its cases
 * (`tests/shell/access/launchers.cases.ts` has some for each).
 *
 * Sources: the manuals of the programs; GTFOBins; the advisories in `tests/shell/access/attacks.ts`.
 *
 * @module
 */
import { awk } from "./awk.ts"
import { find } from "./find.ts"
import { git } from "./git.ts"
import { code, type Launcher } from "./Launcher.ts"
import { interprets, launches, without } from "./options.ts"
import { busybox, env, flock, watch, xargs } from "./runners.ts"
import { sed } from "./sed.ts"

type Row = readonly [names: string, launcher: Launcher]

const opens: Launcher = () => code

const rows: ReadonlyArray<Row> = [
  // They run the command behind their options.
  ["nice", launches({ valued: "n", longValued: ["adjustment"], numeric: true })],
  ["nohup", launches({})],
  ["setsid", launches({ flags: "cfw", long: ["ctty", "fork", "wait"] })],
  [
    "timeout",
    launches({
      flags: "vfp",
      valued: "ks",
      long: ["foreground", "preserve-status", "verbose"],
      longValued: ["kill-after", "signal"],
      operands: 1,
    }),
  ],
  ["stdbuf", launches({ valued: "ioe", longValued: ["input", "output", "error"] })],
  ["time", launches({ flags: "pvq", valued: "f", long: ["portability", "verbose", "quiet"], longValued: ["format"] })],
  ["ionice", launches({ flags: "t", valued: "cn", longValued: ["class", "classdata"], long: ["ignore"] })],
  ["taskset", launches({ flags: "c", long: ["cpu-list"], operands: 1 })],
  ["chrt prlimit setpriv choom cpulimit numactl cgexec chpst gosu su-exec dumb-init tini proot", opens],
  ["sudo", launches({ flags: "AbEHknPS", valued: "ugpC", longValued: ["user", "group"], long: ["non-interactive"] })],
  ["env", env],
  ["xargs", xargs],
  ["find", find],
  ["watch", watch],
  ["flock", flock],
  ["busybox toybox", busybox],

  // They run nothing with the arguments that are left.
  ["git", git],
  ["sed gsed", sed],
  ["awk gawk mawk nawk original-awk", awk],
  [
    "tar bsdtar gtar",
    without({
      letters: "IF",
      long: [
        ...["use-compress-program", "checkpoint-action", "info-script", "new-volume-script", "to-command"],
        ...["rmt-command", "rsh-command"],
      ],
      // An archive `host:file` is fetched through a remote shell.
      words: /^[^/=]*:/,
      oldStyle: true,
    }),
  ],
  ["cpio", without({ letters: "FHOI", long: ["rsh-command", "rmt-command", "file"] })],
  ["rsync", without({ letters: "eM", long: ["rsh", "rsync-path", "remote-option", "daemon", "config"] })],
  ["scp sftp", without({ letters: "SoFDJ" })],
  ["ssh slogin autossh", without({ letters: "oFIiSEwDLRWJmO" })],
  ["zip", without({ letters: "T", long: ["unzip-command", "test"] })],
  ["sort", without({ long: ["compress-program"] })],
  ["split", without({ long: ["filter"] })],
  ["install ginstall", without({ long: ["strip-program"] })],
  [
    "man",
    without({
      letters: "PHTXRCtl",
      long: ["pager", "html", "gxditview", "troff", "local-file", "config-file", "preprocessor", "manpath"],
    }),
  ],
  ["wget", without({ letters: "e", long: ["use-askpass", "execute", "config"] })],
  ["curl", without({ letters: "K", long: ["config", "engine"] })],
  ["tcpdump", without({ letters: "zZ", long: ["relinquish-privileges"] })],
  ["rg", without({ long: ["pre", "pre-glob", "hostname-bin"] })],
  ["fd fdfind", without({ letters: "xX", long: ["exec", "exec-batch"] })],
  ["bat batcat ag ack", without({ long: ["pager", "ackrc"] })],
  ["openssl", without({ words: /^-(?:engine|provider|config|CA\.pl|extfile)/ })],
  ["pandoc", without({ letters: "FLd", long: ["filter", "lua-filter", "pdf-engine", "defaults"] })],
  ["nc ncat netcat nc.openbsd nc.traditional", without({ letters: "ec", long: ["exec", "sh-exec", "lua-exec"] })],
  ["ip", without({ letters: "b", words: /^(?:netns|ne|net|netn|vrf|exec|-force)$/, long: ["batch"] })],
  ["nm ar ranlib strip objdump", without({ long: ["plugin"] })],
  [
    "gpg gpg2",
    without({ long: ["photo-viewer", "agent-program", "dirmngr-program", "options", "gpgconf", "exec-path"] }),
  ],

  // Interpreters: whoever may run one may run anything; `code: "refuse"` leaves them their files.
  [
    "sh dash ash bash rbash ksh ksh93 mksh zsh yash fish csh tcsh",
    interprets("cis", ["command", "init-file", "rcfile"]),
  ],
  ["python python2 python3 pypy pypy3 ipython", interprets("cmi")],
  ["node nodejs", interprets("epir", ["eval", "print", "interactive", "require", "import", "loader", "input-type"])],
  ["perl", interprets("eEMmnpIdS")],
  ["ruby", interprets("erInpS")],
  ["php", interprets("rBREFdaS", ["run"])],
  ["lua luajit lua5.1 lua5.3 lua5.4 texlua", interprets("eli")],
  ["osascript", interprets("el")],
  ["Rscript", interprets("e")],

  // They run what their files, their settings or their input say, or somewhere else.
  ["deno bun tsx ts-node npx bunx pnpx pnpm npm yarn corepack uv uvx pipx poetry", opens],
  ["R irb erb tclsh wish expect guile scheme racket clisp sbcl ghci ghc julia octave gnuplot jjs jshell", opens],
  [
    "java groovy scala kotlin clojure elixir erl iex escript mono dotnet powershell pwsh cmd wscript cscript mshta",
    opens,
  ],
  [
    "make gmake bmake ninja cmake ctest meson scons bazel gradle gradlew mvn ant sbt rake just task cargo go rustup",
    opens,
  ],
  ["gcc g++ cc c++ clang clang++ ld rustc tsc as ld.so ldd", opens],
  ["vi vim view vimdiff rvim rview nvim ex ed red nano pico emacs emacsclient micro joe mcedit mc ranger nnn", opens],
  ["less more most info pg lesspipe", opens],
  ["gdb lldb strace ltrace perf valgrind rr dtrace bpftrace", opens],
  ["su runuser doas pkexec chroot unshare nsenter setarch linux32 linux64 i386 capsh firejail bwrap", opens],
  ["systemd-run systemctl service machinectl crontab at batch anacron run-parts start-stop-daemon logrotate", opens],
  ["screen tmux script scriptreplay unbuffer rlwrap socat telnet ftp tftp mosh ssh-agent ssh-keygen ssh-add", opens],
  [
    "parallel entr inotifywait fakeroot faketime xvfb-run dbus-run-session dbus-launch direnv torify proxychains",
    opens,
  ],
  ["docker podman nerdctl kubectl helm terraform ansible ansible-playbook vagrant lxc virsh qemu-system-x86_64", opens],
  ["apt apt-get aptitude dpkg rpm yum dnf pacman apk snap flatpak brew port pip pip3 gem bundle composer cpan", opens],
  ["sqlite3 psql mysql mariadb mongo mongosh redis-cli sqlcmd", opens],
  ["m4 dc nmap ncftp mail mailx mutt sendmail xdg-open open start tex latex pdflatex xelatex lualatex", opens],
  ["hg svn cvs bzr fossil p4 convert magick mogrify gs ghostscript dvips ffmpeg nroff troff groff", opens],
  [
    "hyperfine watchexec nodemon concurrently pm2 supervisord tox nox pytest gpg-agent aws-vault chamber doppler",
    opens,
  ],
  ["pyenv rbenv nodenv asdf mise volta fnm conda mamba", opens],
]

const byName: ReadonlyMap<string, Launcher> = new Map(
  rows.flatMap(([names, launcher]) => names.split(" ").map((name) => [name, launcher] as const)),
)

/** All names of the table. */
export const launcherNames: ReadonlyArray<string> = [...byName.keys()]

const known = (name: string): Launcher | undefined => {
  const row = byName.get(name)
  if (row !== undefined) return row
  if (/^ld(?:-linux|-musl|64)?[-.\w]*\.so/.test(name)) return opens
  const base = name.replace(/-?\d+(?:\.\d+)*$/, "")
  if (base !== name) return byName.get(base) ?? byName.get(`${base}3`)
  const stem = name.replace(/\..*$/, "")
  return stem === name || stem === "" ? undefined : byName.get(stem)
}

/** Files of many programs: which one it is, only the name that it is called by says. */
const ofManyNames: ReadonlySet<string> = new Set(["busybox", "toybox", "coreutils"])

/**
 * What is known of a program by its name, or by that of the file it leads to (`editor` is `vim`). `python3.11` and
 * `gcc-12` are known by what stands before the version, `vim.basic` by what stands before the dot.
 */
export const launcherOf = (name: string, file: string | undefined): Launcher | undefined =>
  known(name) ?? (file === undefined || ofManyNames.has(file) ? undefined : known(file))
