/**
 * Variables that no caller may set: with them an allowed program runs something else. One row a group.
 *
 * Sources: ld.so(8), dyld(1), bash(1), and the manuals of the programs that are named.
 *
 * @module
 */

/** Some variables, and what they would do. */
export interface DeniedVariables {
  readonly why: string
  /** Names; `*` stands for any characters. */
  readonly names: ReadonlyArray<string>
}

/** The table. */
export const deniedVariables: ReadonlyArray<DeniedVariables> = [
  { why: "where programs are looked for", names: ["PATH", "PATHEXT", "COMSPEC", "CDPATH", "EXECIGNORE", "FPATH"] },
  {
    why: "where settings are read from, and these name programs",
    names: ["HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "XDG_*", "ZDOTDIR"],
  },
  {
    why: "what the loader puts into every program",
    names: ["LD_*", "DYLD_*", "_RLD*", "LIBPATH", "SHLIB_PATH", "GLIBC_TUNABLES", "GCONV_PATH", "NLSPATH", "LOCPATH"],
  },
  { why: "files that the C library takes as its own", names: ["HOSTALIASES", "RESOLV_HOST_CONF", "MALLOC_*", "NIS_*"] },
  {
    why: "what a shell reads or runs by itself, and how it reads",
    names: [
      ...["ENV", "BASH*", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "POSIX_PEDANTIC", "IFS", "PS0", "PS1", "PS2"],
      ...["PS3", "PS4", "PROMPT*", "SHELL", "GLOBIGNORE", "HIST*", "FIGNORE", "INPUTRC", "TEXTDOMAIN*", "MAIL*"],
      ...["FCEDIT", "KSH_*", "ZSH*", "FISH_*", "TMPPREFIX", "NULLCMD", "READNULLCMD", "AUTOFEATURE", "TIMEFORMAT"],
    ],
  },
  {
    why: "values of the shell that it computes, or evaluates as arithmetic when they are set",
    names: [
      ...["SECONDS", "RANDOM", "SRANDOM", "LINENO", "OPTIND", "OPTERR", "EPOCHSECONDS", "EPOCHREALTIME", "DIRSTACK"],
      ...["FUNCNAME", "FUNCNEST", "GROUPS", "UID", "EUID", "PPID", "COMP_*", "COMPREPLY", "READLINE_*", "SHLVL"],
      ...["PIPESTATUS", "MAPFILE", "COPROC", "CHILD_MAX", "PWD", "OLDPWD"],
    ],
  },
  {
    why: "programs that others start",
    names: [
      ...["EDITOR", "VISUAL", "*PAGER", "PAGER", "LESS*", "MORE", "MANPAGER", "MANOPT", "BROWSER", "*ASKPASS"],
      ...["SYSTEMD_*", "SUDO_*", "TAR_OPTIONS", "RSYNC_*", "ZIPOPT", "UNZIP*", "GZIP", "XZ_*", "ZSTD_*", "AWKPATH"],
      ...["AWKLIBPATH", "POSIX2_*", "TERMINFO*", "TERMCAP", "DIFF_*", "GREP_*", "LS_OPTIONS", "FIND_*"],
      ...["VIMINIT", "EXINIT", "VIMRUNTIME", "MYVIMRC", "NVIM_*", "EMACS*", "CVS_*", "SVN_*", "HG*", "SSH_*", "WGETRC"],
      ...["CURL_HOME", "NETRC", "SCREEN*", "TMUX*", "DEBUGINFOD*", "GDB*", "PARALLEL*", "RLWRAP_*", "FZF_*", "BAT_*"],
    ],
  },
  { why: "git: programs, settings, hooks and repositories of the caller's", names: ["GIT_*", "GITHUB_*", "GH_*"] },
  {
    why: "node, npm and their like: modules that are loaded first",
    names: [
      "NODE_*",
      "NPM_*",
      "npm_*",
      "YARN_*",
      "PNPM_*",
      "BUN_*",
      "DENO_*",
      "COREPACK_*",
      "NVM_*",
      "VOLTA_*",
      "TS_NODE_*",
    ],
  },
  {
    why: "Python: modules that are loaded first",
    names: [
      "PYTHON*",
      "PYENV_*",
      "PIP_*",
      "VIRTUAL_ENV",
      "CONDA_*",
      "UV_*",
      "POETRY_*",
      "PIPENV_*",
      "PYTEST_*",
      "_PYTHON*",
    ],
  },
  { why: "Perl: modules that are loaded first", names: ["PERL*"] },
  { why: "Ruby: files that are loaded first", names: ["RUBY*", "GEM_*", "BUNDLE_*", "RBENV_*", "RAKE*"] },
  { why: "PHP and Lua: files that are loaded first", names: ["PHP*", "LUA_*", "LUA*"] },
  {
    why: "Java and its tools: agents, options",
    names: [
      "JAVA_*",
      "_JAVA_*",
      "JDK_*",
      "JRE_*",
      "CLASSPATH",
      "MAVEN_*",
      "M2_*",
      "GRADLE_*",
      "ANT_*",
      "SBT_*",
      "SCALA_*",
    ],
  },
  {
    why: "compilers and builders: the programs they call",
    names: [
      ...[
        "CC",
        "CXX",
        "CPP",
        "LD",
        "AR",
        "AS",
        "NM",
        "MAKE*",
        "GNUMAKEFLAGS",
        "MFLAGS",
        "CFLAGS",
        "CXXFLAGS",
        "CPPFLAGS",
      ],
      ...[
        "LDFLAGS",
        "GCC_*",
        "COMPILER_PATH",
        "CMAKE_*",
        "CARGO*",
        "RUST*",
        "GOFLAGS",
        "GOPATH",
        "GOROOT",
        "GOBIN",
        "GOENV",
        "GO*PROXY",
        "GO*SUMDB",
        "GOTOOL*",
        "GOVCS",
        "GOCACHE*",
        "GOINSECURE",
        "GOEXPERIMENT",
        "GO_*",
        "CGO_*",
        "DOTNET_*",
        "CORECLR_*",
      ],
      ...[
        "COMPLUS_*",
        "MSBUILD*",
        "NUGET_*",
        "R_*",
        "JULIA_*",
        "GHC*",
        "ERL_*",
        "ELIXIR_*",
        "MIX_*",
        "OCAML*",
        "OPAM*",
      ],
      ...[
        "TCLLIBPATH",
        "GUILE_*",
        "EMACSLOADPATH",
        "CONFIG_SHELL",
        "CONFIG_SITE",
        "PKG_CONFIG*",
        "CCACHE_*",
        "DISTCC_*",
      ],
    ],
  },
  {
    why: "modules of other libraries",
    names: [
      "OPENSSL_*",
      "SSL*",
      "SSLKEYLOGFILE",
      "GTK_*",
      "QT_*",
      "GIO_*",
      "GST_*",
      "KRB5*",
      "SASL_*",
      "PAM_*",
      "NSS_*",
      "P11_*",
    ],
  },
  {
    why: "who is talked to in place of whom",
    names: ["*_PROXY", "*_proxy", "DOCKER_*", "KUBE*", "ANSIBLE_*"],
  },
  {
    why: "settings of tools that name programs to run",
    names: [
      ...["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AZURE_CONFIG_DIR", "CLOUDSDK_*", "BOTO*", "GOOGLE_*"],
      ...["TF_*", "GNUPGHOME", "PSQLRC", "PGSERVICEFILE", "PGSYSCONFDIR", "MYSQL_*", "SYSTEM_WGETRC", "GROFF*", "MAN*"],
      ...["DBUS_*", "VIM"],
    ],
  },
  { why: "where temporary files go", names: ["TMPDIR", "TMP", "TEMP"] },
  { why: "how this library finds its processes again", names: ["SLUICE_*"] },
]

/** Variables that a pattern of the table takes in, and that change nothing of what runs. */
export const harmlessVariables: ReadonlyArray<string> = [
  ...["NODE_ENV", "NODE_NO_WARNINGS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUTF8"],
  ...["RUST_BACKTRACE", "RUST_LOG", "CARGO_TERM_COLOR", "GIT_TERMINAL_PROMPT", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"],
  ...["GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GITHUB_ACTIONS"],
]
