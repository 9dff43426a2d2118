/**
 * Lists the programs that run other programs, with the launcher rule of each, and finds the rule of a name, also of a
 * name with a version, a suffix or the machine of a compiler. A row is a claim about some names; a program that is not
 * listed is assumed to run only itself, whatever its arguments. Extend it by a row and its cases
 * (`tests/policy/launchers/cases.ts` has some for each).
 *
 * Sources: the manuals of the programs; GTFOBins; the advisories in `tests/policy/attacks.ts`.
 */
import { awk } from "./awk.ts"
import { find } from "./find.ts"
import { git } from "./git.ts"
import { code, type LauncherRule, refused, runsCommand } from "./LauncherRule.ts"
import { fileInterpreter, plainUnless, prefixRunner } from "./launcherOptions.ts"
import { busybox, env, flock, sudo, watch, xargs } from "./commandRunners.ts"
import { sed } from "./sed.ts"

/** An engine is a library: an option, a command, a form of keys, a store. Without a command it may read commands. */
const noEngine = plainUnless({ words: /engine|pkcs11:|^--?(?:provider|config|extfile|CA\.pl)/i })

const openssl: LauncherRule = (words) => words.length === 0 ? refused("without a command") : noEngine(words)

/** `pandoc`. Readers and writers in Lua are named where a format is. */
const pandoc: LauncherRule = plainUnless({
  letters: "FLd",
  long: ["filter", "lua-filter", "pdf-engine", "defaults", "data-dir"],
  words: /\.lua|^(?:lua|server)$/,
})

type Row = readonly [names: string, launcher: LauncherRule]

const opens: LauncherRule = () => code

const rows: ReadonlyArray<Row> = [
  // These programs run the command after their options.
  ["nice", prefixRunner({ valued: "n", longValued: ["adjustment"], numeric: true })],
  ["nohup", prefixRunner({})],
  ["setsid", prefixRunner({ flags: "cfw", long: ["ctty", "fork", "wait"] })],
  [
    "timeout",
    prefixRunner({
      flags: "vfp",
      valued: "ks",
      long: ["foreground", "preserve-status", "verbose"],
      longValued: ["kill-after", "signal"],
      operands: 1,
    }),
  ],
  ["stdbuf", prefixRunner({ valued: "ioe", longValued: ["input", "output", "error"] })],
  [
    "time",
    prefixRunner({ flags: "pvq", valued: "f", long: ["portability", "verbose", "quiet"], longValued: ["format"] }),
  ],
  ["ionice", prefixRunner({ flags: "t", valued: "cn", longValued: ["class", "classdata"], long: ["ignore"] })],
  ["taskset", prefixRunner({ flags: "c", long: ["cpu-list"], operands: 1 })],
  ["chrt prlimit setpriv choom cpulimit numactl cgexec chpst gosu su-exec dumb-init tini proot", opens],
  ["sudo", sudo],
  ["env", env],
  ["xargs", xargs],
  ["find", find],
  ["watch", watch],
  ["flock", flock],
  ["busybox toybox", busybox],

  // These programs run nothing with the remaining arguments.
  ["git", git],
  ["sed gsed", sed],
  ["awk gawk mawk nawk original-awk", awk],
  [
    "tar bsdtar gtar",
    plainUnless({
      letters: "IFM",
      long: [
        ...["use-compress-program", "checkpoint-action", "info-script", "new-volume-script", "to-command"],
        // The prompt for the next volume takes `!`, which starts a shell.
        ...["rmt-command", "rsh-command", "multi-volume"],
      ],
      // An archive `host:file` is fetched through a remote shell.
      words: /^(?:(?!--)|--f\w*=)[^/]*:/,
      oldStyle: true,
    }),
  ],
  ["cpio", plainUnless({ letters: "FOI", long: ["rsh-command", "rmt-command", "file"] })],
  [
    "rsync",
    plainUnless({ letters: "eM", long: ["rsh", "rsync-path", "remote-option", "daemon", "config"], ends: false }),
  ],
  ["scp", plainUnless({ letters: "SoFDJ" })],
  ["ssh slogin autossh", plainUnless({ letters: "oFISEwDLRWJmO" })],
  ["zip", plainUnless({ letters: "T", long: ["unzip-command", "test"] })],
  ["sort", plainUnless({ long: ["compress-program"], flags: "bdfgiMhnRrVcCmsuz" })],
  ["split", plainUnless({ long: ["filter"] })],
  ["install ginstall", plainUnless({ long: ["strip-program"] })],
  [
    "man",
    plainUnless({
      letters: "PHTXRCtlM",
      long: ["pager", "html", "gxditview", "troff", "local-file", "config-file", "preprocessor", "manpath"],
    }),
  ],
  [
    "wget",
    plainUnless({
      letters: "e",
      long: ["use-askpass", "execute", "config", "plugin", "local-plugin", "plugin-dirs"],
      flags: "qcN",
    }),
  ],
  [
    "curl",
    plainUnless({ letters: "K", long: ["config", "engine", "expand-config", "expand-engine"], flags: "sSfLOkiIv" }),
  ],
  // `patch` runs `ed` for a patch of no other kind, even with `--unified`, which patch 2.7 treats as a hint.
  ["patch", () => runsCommand("ed")],
  ["tcpdump", plainUnless({ letters: "zZ", long: ["relinquish-privileges"] })],
  ["rg", plainUnless({ long: ["pre", "pre-glob", "hostname-bin"], flags: "nilvcwxFSsoU" })],
  ["fd fdfind", plainUnless({ letters: "xX", long: ["exec", "exec-batch"] })],
  ["bat batcat ag", plainUnless({ long: ["pager", "lessopen", "config-file"] })],
  ["sdiff diff3", plainUnless({ letters: "o", long: ["diff-program", "output"] })],
  ["iptables ip6tables arptables ebtables", plainUnless({ letters: "M", long: ["modprobe"] })],
  ["openssl", openssl],
  ["pandoc", pandoc],
  ["nc ncat netcat nc.openbsd nc.traditional", plainUnless({ letters: "ec", long: ["exec", "sh-exec", "lua-exec"] })],
  // ip accepts the beginning of any word: `ip v e NAME COMMAND`.
  ["ip tc", plainUnless({ words: /^(?:net?n?s?|vr?f?|ex?e?c?|--?(?:ba?t?c?h?|force))$/ })],
  // `@file` stands for the options in it.
  ["nm ar ranlib strip objdump objcopy size", plainUnless({ long: ["plugin"], words: /^@/ })],
  [
    "gpg gpg2 gpgsm",
    plainUnless({
      long: [
        ...["photo-viewer", "agent-program", "dirmngr-program", "keyboxd-program", "options", "gpgconf", "exec-path"],
        // Its settings name programs.
        "homedir",
      ],
    }),
  ],

  // Interpreters: a caller that may run one may run anything; `code: "refuse"` leaves them their files.
  [
    "sh dash ash bash rbash ksh ksh93 mksh zsh yash fish csh tcsh",
    fileInterpreter({
      flags: "euxvnfp",
      long: /^--(?:norc|noprofile|posix)$/,
    }),
  ],
  ["python python2 python3 pypy pypy3 ipython", fileInterpreter({ flags: "bBdEIOPqsSuvx" })],
  [
    "node nodejs",
    fileInterpreter({
      flags: "c",
      long:
        /^--(?:check|no-warnings|no-deprecation|enable-source-maps|experimental-strip-types|max-old-space-size=\d+)$/,
      commands: /^(?:inspect|debug)$/,
    }),
  ],
  ["perl", fileInterpreter({ flags: "wtTWXc" })],
  ["ruby", fileInterpreter({ flags: "wc" })],
  ["php", fileInterpreter({ flags: "nql" })],
  ["lua luajit lua5.1 lua5.3 lua5.4 texlua", fileInterpreter({})],
  ["osascript", fileInterpreter({})],
  ["Rscript", fileInterpreter({ long: /^--(?:vanilla|no-save|verbose)$/ })],

  // These programs run commands from their files, their settings or their input, or on other machines.
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
  ["coreutils x86_64 uname26 sg newgrp ksu login getty agetty sudoedit visudo vipw vigr", opens],
  ["sftp psftp lftp links elinks lynx w3m aria2c rclone restic smbclient sshpass torsocks tsocks", opens],
  [
    "ccache distcc sccache logsave multitime timelimit openvt pexec setlock softlimit envdir envuidgid setuidgid",
    opens,
  ],
  ["daemon daemonize catchsegv sotruss eatmydata fakechroot chronic ifne pee mispipe zrun vidir vipe lckdo sem", opens],
  ["cross-env dotenv dotenvx foreman honcho overmind reflex watchman chokidar onchange retry libtool", opens],
  ["systemd-cat systemd-inhibit systemd-nspawn coredumpctl mount modprobe insmod openvpn pppd dhclient ifup", opens],
  ["telnetd tcpsvd udpsvd inetd udhcpc httpd nginx apache2 lighttpd haproxy redis-server postgres pg_ctl", opens],
  ["docker-compose podman-compose buildah runc crun ctr crictl nsjail nix nix-shell nix-build nix-env guix", opens],
  ["aws az gcloud gh glab hub oc k9s pulumi packer tig lazygit gitui gitk scalar fzf sk vd lf vifm ncdu iftop", opens],
  ["pwsh-preview raku nu elvish xonsh osh ysh rc slsh posh sash bb lein clj zig nim crystal swift dart flutter", opens],
  ["php-cgi phpdbg phar prove perldoc cpanm pydoc pdb idle pipenv hatch pdm rye mypy pylint rails pry byebug", opens],
  [
    "jest vitest mocha eslint prettier webpack rollup vite esbuild turbo nx lerna gulp grunt pre-commit lefthook",
    opens,
  ],
  ["jupyter gunicorn uvicorn flask celery rspec phpunit cucumber mix rebar3 stack cabal jdb jrunscript javac", opens],
  ["cpp c89 c99 gfortran gccgo windres dlltool autoconf automake aclocal autoreconf bison yacc protoc buf", opens],
  [
    "doxygen sphinx-build mkdocs asciidoctor jekyll latexmk pdftex xetex luatex texi2pdf enscript csvtool msgfilter",
    opens,
  ],
  ["ack cowsay cowthink exiftool facter puppet neofetch run-mailcap scrot tshark xdotool yelp gtester pidstat", opens],
  [
    "xterm urxvt kitty alacritty konsole gnome-terminal zellij tmate editor pager sensible-editor sensible-pager",
    opens,
  ],
  ["nvi jed kak hx helix emacs-nox vim-nox cscope debugfs tdbtool gcore uftrace maxima gp sage duckdb sqlplus", opens],
  [
    "exim exim4 procmail chromium chrome google-chrome firefox mpv vlc blender gimp inkscape soffice libreoffice",
    opens,
  ],
  [
    "identify compare composite montage wine wine64 qemu-x86_64 qemu-aarch64 zypper ansible-console ansible-pull",
    opens,
  ],
]

const byName: ReadonlyMap<string, LauncherRule> = new Map(
  rows.flatMap(([names, launcher]) => names.split(" ").map((name) => [name, launcher] as const)),
)

export const launcherNames: ReadonlyArray<string> = [...byName.keys()]

/** The prefix of a compiler's tool: `x86_64-linux-gnu-gcc`. */
const machine = /^(?:x86_64|i[3-6]86|aarch64|arm\w*|riscv\d+|powerpc\w*|ppc\w*|s390x?|mips\w*)-(?:\w+-)+/

/** A name without its machine, its version, and the text after its first dot or its first digit. */
const shorter = [machine, /-?\d+(?:\.\d+)*$/, /\..*$/s, /[\d.].*$/s] as const

const known = (name: string): LauncherRule | undefined => {
  const row = byName.get(name)
  if (row !== undefined) return row
  if (/^ld(?:-linux|-musl|64)?[-.\w]*\.so/.test(name)) return opens
  for (const part of shorter) {
    const short = name.replace(part, "")
    const found = short === name || short === "" ? undefined : known(short) ?? byName.get(`${short}3`)
    if (found !== undefined) return found
  }
  return undefined
}

/** Multi-call binaries: only the name of the call shows which program runs. */
const ofManyNames: ReadonlySet<string> = new Set(["busybox", "toybox", "coreutils"])

/**
 * Finds the rule of a program by its name, or by the name of the file it leads to (`editor` is `vim`). `python3.11` and
 * `gcc-12` are found by the part before the version, `vim.basic` by the part before the dot.
 */
export const findLauncher = (name: string, file: string | undefined): LauncherRule | undefined =>
  known(name) ?? (file === undefined || ofManyNames.has(file) ? undefined : known(file))
