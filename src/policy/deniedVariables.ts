/**
 * Lists the environment variables that no caller may set, because with them an allowed program runs another one. One row per
 * group. Sources: ld.so(8), dyld(1), bash(1), the manuals of the programs.
 */

/** Some variables, and their effect. */
export interface DeniedVariables {
  /** The harm that a caller could do with them. */
  readonly why: string
  /** Names; `*` stands for any characters. */
  readonly names: ReadonlyArray<string>
}

const variables = (why: string, names: string): DeniedVariables => ({ why, names: names.split(/\s+/) })

/**
 * The table.
 *
 * @example
 * ```ts
 * import { deniedVariables } from "@sluice/shell/access"
 *
 * console.log(deniedVariables.some(({ names }) => names.includes("LD_*"))) // true
 * ```
 */
export const deniedVariables: ReadonlyArray<DeniedVariables> = [
  variables(
    "where programs are searched",
    "PATH PATHEXT COMSPEC CDPATH EXECIGNORE FPATH GETCONF_DIR",
  ),
  variables(
    "where settings are read from, and these name programs",
    "HOME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA XDG_* ZDOTDIR",
  ),
  variables(
    "what the loader adds to every program",
    `LD_* DYLD_* _RLD* LIBPATH SHLIB_PATH GLIBC_TUNABLES GCONV_PATH NLSPATH LOCPATH LANGUAGE *SAN_OPTIONS
    *SAN_SYMBOLIZER_PATH`,
  ),
  variables(
    "what scripts of git evaluate or load",
    "GITPERLLIB OPTIONS_SPEC OPTIONS_KEEPDASHDASH OPTIONS_STUCKLONG",
  ),
  variables(
    "files that the C library loads",
    "HOSTALIASES RESOLV_HOST_CONF MALLOC_* NIS_*",
  ),
  variables(
    "what a shell reads or runs on its own, and how it parses",
    `ENV BASH* SHELLOPTS BASHOPTS POSIXLY_CORRECT POSIX_PEDANTIC IFS PS0 PS1 PS2 PS3 PS4 PROMPT* SHELL GLOBIGNORE
    HIST* FIGNORE INPUTRC TEXTDOMAIN* MAIL* FCEDIT KSH_* ZSH* FISH_* TMPPREFIX NULLCMD READNULLCMD AUTOFEATURE
    TIMEFORMAT`,
  ),
  variables(
    "values of the shell that it computes, or evaluates as arithmetic when they are set",
    `SECONDS RANDOM SRANDOM LINENO OPTIND OPTERR EPOCHSECONDS EPOCHREALTIME DIRSTACK FUNCNAME FUNCNEST GROUPS UID
    EUID PPID COMP_* COMPREPLY READLINE_* SHLVL PIPESTATUS MAPFILE COPROC CHILD_MAX PWD OLDPWD`,
  ),
  variables(
    "programs that others start",
    `VISUAL *PAGER LESS* MORE MANOPT BROWSER *ASKPASS SYSTEMD_* SUDO_* RSYNC_* UNZIP* GZIP XZ_* ZSTD_* AWKPATH
    AWKLIBPATH POSIX2_* TERMINFO* TERMCAP DIFF_* GREP_* LS_OPTIONS FIND_* VIMINIT EXINIT VIMRUNTIME MYVIMRC
    NVIM_* EMACS* CVS_* SVN_* HG* SSH_* WGETRC CURL_HOME NETRC SCREEN* TMUX* DEBUGINFOD* GDB* PARALLEL* RLWRAP_*
    FZF_* BAT_* *EDITOR GREP EGREP FGREP DIFF CMP ZCAT ZIP ZIPOPT ZIPINFO* TAPE RSH RMT TAR_* AUTOSSH_* PATCH_GET RIPGREP_*
    ACK* LYNX_* CTAGS ETAGS`,
  ),
  variables(
    "git: programs, settings, hooks and repositories of the caller",
    "GIT_* GITHUB_* GH_*",
  ),
  variables(
    "node, npm and the like: modules that are loaded first",
    "NODE_* NPM_* npm_* YARN_* PNPM_* BUN_* DENO_* COREPACK_* NVM_* VOLTA_* TS_NODE_*",
  ),
  variables(
    "Python: modules that are loaded first",
    "PYTHON* PYENV_* PIP_* VIRTUAL_ENV CONDA_* UV_* POETRY_* PIPENV_* PYTEST_* _PYTHON*",
  ),
  variables(
    "Perl: modules that are loaded first",
    "PERL*",
  ),
  variables(
    "Ruby: files that are loaded first",
    "RUBY* GEM_* BUNDLE_* RBENV_* RAKE*",
  ),
  variables(
    "PHP and Lua: files that are loaded first",
    "PHP* LUA*",
  ),
  variables(
    "Java and its tools: agents, options",
    "JAVA_* _JAVA_* JDK_* JRE_* CLASSPATH MAVEN_* M2_* GRADLE_* ANT_* SBT_* SCALA_*",
  ),
  variables(
    "compilers and builders: the programs they call",
    `CC CXX CPP LD AR AS NM MAKE* GNUMAKEFLAGS MFLAGS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS GCC_* COMPILER_PATH
    CMAKE_* CARGO* RUST* GOFLAGS GOPATH GOROOT GOBIN GOENV GO*PROXY GO*SUMDB GOTOOL* GOVCS GOCACHE* GOINSECURE
    GOEXPERIMENT GO_* CGO_* DOTNET_* CORECLR_* COMPLUS_* MSBUILD* NUGET_* R_* JULIA_* GHC* ERL_* ELIXIR_* MIX_*
    OCAML* OPAM* TCLLIBPATH GUILE_* EMACSLOADPATH CONFIG_SHELL CONFIG_SITE PKG_CONFIG* CCACHE_* DISTCC_*`,
  ),
  variables(
    "modules of other libraries",
    `OPENSSL_* SSL* GTK_* QT_* GIO_* GST_* KRB5* SASL_* PAM_* NSS_* P11_* GDK_* SDL_* LIBGL_* VK_* OCL_*
    *_PLUGIN_PATH`,
  ),
  variables(
    "proxies, and the certificates that are trusted",
    "*_PROXY *_proxy DOCKER_* KUBE* ANSIBLE_*",
  ),
  variables(
    "settings of tools that name programs to run",
    `AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AZURE_CONFIG_DIR CLOUDSDK_* BOTO* GOOGLE_* TF_* GNUPGHOME PSQLRC
    PGSERVICEFILE PGSYSCONFDIR MYSQL_* SYSTEM_WGETRC GROFF* MAN* DBUS_* VIM`,
  ),
  variables(
    "where temporary files go",
    "TMPDIR TMP TEMP",
  ),
  variables(
    "how this library finds its own processes",
    "SLUICE_*",
  ),
]

/**
 * Variables that match a pattern of the table but do not change which program runs.
 *
 * @example
 * ```ts
 * import { harmlessVariables } from "@sluice/shell/access"
 *
 * console.log(harmlessVariables.includes("NODE_ENV")) // true
 * ```
 */
export const harmlessVariables: ReadonlyArray<string> = [
  ...["NODE_ENV", "NODE_NO_WARNINGS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUTF8"],
  ...["RUST_BACKTRACE", "RUST_LOG", "CARGO_TERM_COLOR", "GIT_TERMINAL_PROMPT", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"],
  ...["GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GITHUB_ACTIONS"],
]
