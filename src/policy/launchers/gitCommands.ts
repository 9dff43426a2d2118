/**
 * Lists git's commands with the options that neither write a file which a caller names nor run a program: a closed
 * list, so that an option that is missing or shortened is refused with any version of git. Commands that are shell
 * scripts are left out, except for `submodule` and, before git 2.40, `bisect`.
 *
 * Source: `git COMMAND --git-completion-helper-all` and `-h` of git 2.39, and the manual of each command up to 2.52.
 */
export interface CommandOptions {
  /** Letters without a value, and after `:` those that take the rest of their word as their value. */
  readonly letters: string
  /** Long options, without dashes. */
  readonly long: ReadonlySet<string>
}

const wordsOf = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((word) => word !== "")

const diff = `patch unified function-context raw patch-with-raw patch-with-stat numstat shortstat dirstat cumulative
  dirstat-by-file check summary name-only name-status stat stat-width stat-name-width stat-graph-width stat-count
  compact-summary binary full-index color ws-error-highlight abbrev src-prefix dst-prefix line-prefix no-prefix
  inter-hunk-context output-indicator-new output-indicator-old output-indicator-context break-rewrites find-renames
  irreversible-delete find-copies find-copies-harder no-renames rename-empty follow minimal ignore-all-space
  ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines ignore-matching-lines indent-heuristic
  patience histogram diff-algorithm anchored word-diff word-diff-regex color-words color-moved color-moved-ws relative
  text exit-code quiet textconv ignore-submodules submodule ita-invisible-in-index ita-visible-in-index pickaxe-all
  pickaxe-regex rotate-to skip-to find-object diff-filter cached staged merge-base no-index no-ext-diff`

/** Options of commands that walk along the history. */
const log =
  `abbrev-commit all all-match ancestry-path author author-date-order after basic-regexp before bisect boundary
  branches cc cherry cherry-mark cherry-pick children clear-decorations combined-all-paths committer count date
  date-order dd decorate decorate-refs decorate-refs-exclude dense diff-merges do-walk encoding exclude
  exclude-first-parent-only exclude-hidden expand-tabs extended-regexp first-parent fixed-strings follow format
  full-diff full-history glob graph grep header ignore-missing in-commit-order invert-grep left-only left-right
  log-size mailmap max-age max-count max-parents merge merges min-age min-parents no-commit-id no-walk not notes
  objects objects-edge oneline parents perl-regexp pretty quiet reflog regexp-ignore-case relative-date remerge-diff
  remotes reverse right-only root show-linear-break show-notes show-pulls show-signature simplify-by-decoration
  simplify-merges since since-as-filter single-worktree skip source sparse standard-notes stdin tags timestamp
  topo-order unpacked until use-mailmap walk-reflogs disk-usage use-bitmap-index end-of-options alternate-refs
  exclude-promisor-objects missing`

/** The letters of both. */
const shown = "puswabRzrctmqgiEFPW:UMCBDlSGOLInX"

const add: readonly [letters: string, long: string] = [
  "AefnNpuv",
  `dry-run verbose patch edit force update renormalize intent-to-add all ignore-removal refresh ignore-errors
  ignore-missing sparse chmod warn-embedded-repo pathspec-from-file pathspec-file-nul`,
]

const table: Readonly<Record<string, readonly [letters: string, long: string]>> = {
  add,
  am: ["", "abort quit show-current-patch"],
  annotate: [
    "bfnpctlsew:SCML",
    `${log} incremental root show-stats progress score-debug show-name show-number porcelain line-porcelain show-email
    ignore-rev ignore-revs-file color-lines color-by-age minimal contents abbrev`,
  ],
  apply: [
    "NzRvq:pC",
    `exclude include stat allow-binary-replacement binary numstat summary check intent-to-add cached apply whitespace ignore-space-change ignore-whitespace reverse unidiff-zero reject allow-overlap verbose quiet
    inaccurate-eof recount directory allow-empty add`,
  ],
  archive: ["vlo", "output format prefix add-file add-virtual-file list verbose mtime"],
  bisect: ["", "no-checkout first-parent term-good term-bad term-old term-new"],
  blame: [
    "bfnpctlsew:SCML",
    `${log} incremental root show-stats progress score-debug show-name show-number porcelain line-porcelain show-email
    ignore-rev ignore-revs-file color-lines color-by-age minimal contents abbrev`,
  ],
  branch: [
    "vqtradDmMcClfi:u",
    `verbose quiet track set-upstream set-upstream-to unset-upstream color remotes contains with without abbrev all edit-description
    delete move copy list show-current create-reflog force merged column sort points-at ignore-case format`,
  ],
  bundle: ["q", `${log} quiet progress all-progress all-progress-implied version`],
  "cat-file": [
    "eptsz",
    `allow-unknown-type use-mailmap mailmap batch batch-check batch-command batch-all-objects buffer follow-symlinks
    unordered textconv filters path`,
  ],
  "check-attr": ["az", "all cached stdin"],
  "check-ignore": ["qvzn", "quiet verbose stdin non-matching index"],
  "check-mailmap": ["", "stdin"],
  "check-ref-format": ["", "normalize allow-onelevel refspec-pattern branch print"],
  checkout: [
    "lqmdtfp:bB",
    `guess overlay quiet progress merge conflict detach track force orphan overwrite-ignore ignore-other-worktrees ours
    theirs patch ignore-skip-worktree-bits pathspec-from-file pathspec-file-nul no-recurse-submodules`,
  ],
  "checkout-index": ["afqunz", "all ignore-skip-worktree-bits force quiet index stdin temp stage create"],
  cherry: ["v", "abbrev verbose"],
  "cherry-pick": [
    "nesx:mXS",
    `quit continue abort skip cleanup edit signoff mainline rerere-autoupdate strategy strategy-option gpg-sign ff
    allow-empty allow-empty-message keep-redundant-commits commit empty`,
  ],
  clean: ["qnfdxX:e", "quiet dry-run force exclude"],
  clone: [
    "vqnl:job",
    `verbose quiet progress reject-shallow bare naked mirror local recursive jobs origin branch depth shallow-since shallow-exclude single-branch shallow-submodules server-option ipv4
    ipv6 filter also-filter-submodules sparse checkout hardlinks tags recurse-submodules revision`,
  ],
  column: ["", "command mode raw-mode width indent nl padding"],
  commit: [
    "qvseaponzi:FmcCStu",
    `quiet verbose file author date message reedit-message reuse-message fixup squash reset-author trailer signoff edit
    cleanup status gpg-sign all include patch only dry-run short branch ahead-behind porcelain long null amend
    untracked-files pathspec-from-file pathspec-file-nul allow-empty allow-empty-message verify post-rewrite
    no-interactive`,
  ],
  "commit-graph": ["", "reachable append changed-paths progress split shallow"],
  "commit-tree": [":pmFS", "gpg-sign"],
  config: ["", ""],
  "count-objects": ["vH", "verbose human-readable"],
  describe: [
    "",
    "contains debug all tags long first-parent abbrev exact-match candidates match exclude always dirty broken",
  ],
  diff: [shown, diff],
  "diff-files": [shown, `${diff} base ours theirs`],
  "diff-index": [shown, diff],
  "diff-tree": [shown, `${diff} ${log} always`],
  fetch: [
    "vqafmtnpPku:jo",
    `verbose quiet all set-upstream append atomic force multiple tags jobs prune prune-tags dry-run write-fetch-head
    keep update-head-ok progress depth shallow-since shallow-exclude deepen unshallow refetch update-shallow refmap
    server-option ipv4 ipv6 negotiation-tip negotiate-only filter auto-maintenance auto-gc show-forced-updates
    write-commit-graph stdin no-recurse-submodules porcelain`,
  ],
  "fmt-merge-msg": [":mF", "log summary message into-name file"],
  "for-each-ref": [
    "spt",
    `shell perl python tcl count format color sort points-at merged contains ignore-case exclude include-root-refs
    omit-empty start-after stdin`,
  ],
  "format-patch": ["", ""],
  fsck: [
    "v",
    `verbose unreachable dangling tags root cache reflogs full connectivity-only strict lost-found progress
    name-objects`,
  ],
  gc: ["q", "quiet prune cruft aggressive auto force keep-largest-pack no-detach"],
  grep: [
    "viwaIrEGFPnhHlLzocpWq:CBAfem",
    `cached untracked exclude-standard invert-match ignore-case word-regexp text textconv recursive max-depth
    extended-regexp basic-regexp fixed-strings perl-regexp line-number column full-name files-with-matches name-only
    files-without-match null only-matching count color break heading context before-context after-context threads
    show-function function-context and or not quiet all-match max-count index end-of-options`,
  ],
  "hash-object": ["w:t", "stdin stdin-paths literally path filters"],
  help: ["agcv", "all guides config user-interfaces developer-interfaces external-commands aliases verbose"],
  init: ["q:b", "bare shared quiet initial-branch object-format ref-format"],
  "interpret-trailers": [
    "",
    `trim-empty where if-exists if-missing only-trailers only-input unfold parse trailer divider no-divider separator
    only-values key-only`,
  ],
  log: [shown, `${diff} ${log}`],
  "ls-files": [
    "ztvfcdmoisku:xX",
    `cached deleted modified others ignored stage killed directory eol empty-directory unmerged resolve-undo exclude
    exclude-from exclude-per-directory exclude-standard full-name error-unmatch with-tree abbrev debug deduplicate
    sparse format`,
  ],
  "ls-remote": ["qt:o", "quiet tags heads refs get-url sort exit-code symref server-option branches"],
  "ls-tree": ["drtzl", "long name-only name-status object-only full-name full-tree format abbrev"],
  merge: [
    "nevq:XmFSs",
    `stat summary log squash commit edit cleanup ff ff-only rerere-autoupdate verify-signatures strategy
    strategy-option message file into-name verbose quiet abort quit continue allow-unrelated-histories progress
    gpg-sign autostash overwrite-ignore signoff verify`,
  ],
  maintenance: ["", "auto quiet task"],
  "merge-base": ["a", "all octopus independent is-ancestor fork-point"],
  "merge-file": ["pq:L", "stdout quiet diff3 zdiff3 ours theirs union marker-size"],
  "merge-tree": [
    "z",
    "write-tree trivial-merge messages name-only allow-unrelated-histories stdin merge-base quiet strategy-option",
  ],
  mktree: ["z", "missing batch"],
  mv: ["vnfk", "verbose dry-run force sparse"],
  "name-rev": ["", "name-only tags refs exclude all stdin annotate-stdin undefined always peel-tag"],
  notes: [
    "fsqv:mFcC",
    `ref separator stripspace verbose quiet stdin ignore-missing commit abort message file reedit-message reuse-message
    allow-empty force`,
  ],
  "pack-refs": ["", "all prune"],
  "patch-id": ["", "unstable stable verbatim"],
  prune: ["nv", "dry-run verbose progress expire exclude-promisor-objects"],
  pull: [
    "vqnaftpk:rXSjos",
    `verbose quiet progress rebase stat summary log signoff squash commit edit cleanup ff ff-only verify
    verify-signatures autostash strategy strategy-option gpg-sign allow-unrelated-histories all append force tags
    prune jobs dry-run keep depth shallow-since shallow-exclude deepen unshallow update-shallow refmap server-option
    ipv4 ipv6 negotiation-tip show-forced-updates set-upstream no-recurse-submodules`,
  ],
  push: [
    "vqdnfu:o",
    `verbose quiet repo all mirror delete tags dry-run porcelain force force-with-lease force-if-includes thin
    set-upstream progress prune follow-tags signed atomic push-option ipv4 ipv6 verify no-recurse-submodules`,
  ],
  "range-diff": [shown, `${diff} creation-factor notes left-only right-only dual-color`],
  "read-tree": [
    "vmuinq",
    "empty verbose trivial aggressive reset prefix exclude-per-directory dry-run debug-unpack quiet sparse-checkout",
  ],
  rebase: [
    "qvnfmki:SXrs",
    `onto keep-base quiet verbose signoff committer-date-is-author-date reset-author-date ignore-date ignore-whitespace
    force-rebase continue skip abort quit show-current-patch merge rerere-autoupdate empty keep-empty
    autosquash gpg-sign autostash allow-empty-message rebase-merges fork-point strategy strategy-option
    root reapply-cherry-picks verify stat ff interactive`,
  ],
  reflog: [
    shown,
    `${diff} ${log} dry-run rewrite updateref verbose expire expire-unreachable stale-fix all single-worktree`,
  ],
  remote: ["vfna:tm", "verbose fetch tags track master mirror push add delete prune dry-run auto all"],
  repack: [
    "aAdfFlqnbkim",
    `quiet local keep-unreachable unpack-unreachable window window-memory depth threads max-pack-size cruft geometric
    write-bitmap-index write-midx`,
  ],
  rerere: ["", ""],
  reset: ["qpN", "quiet mixed soft hard merge keep patch intent-to-add pathspec-from-file pathspec-file-nul refresh"],
  restore: [
    "SWqmp:s",
    `source staged worktree ignore-unmerged overlay quiet progress merge conflict ours theirs patch
    ignore-skip-worktree-bits pathspec-from-file pathspec-file-nul`,
  ],
  "rev-list": [shown, `${diff} ${log} pretty filter filter-print-omitted object-names show-object-names`],
  "rev-parse": [
    "q",
    `abbrev-ref short symbolic symbolic-full-name show-toplevel show-prefix show-cdup show-superproject-working-tree
    is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository absolute-git-dir git-dir
    git-common-dir git-path path-format default verify quiet sq sq-quote shared-index-path resolve-git-dir
    show-object-format show-ref-format revs-only no-revs flags no-flags all branches tags remotes glob exclude since
    after until before local-env-vars parseopt keep-dashdash stop-at-non-option stuck-long disambiguate end-of-options
    not`,
  ],
  revert: [
    "nes:mXS",
    `quit continue abort skip cleanup edit signoff mainline rerere-autoupdate strategy strategy-option gpg-sign
    reference commit`,
  ],
  rm: ["nqfr", "dry-run quiet cached force ignore-unmatch sparse pathspec-from-file pathspec-file-nul"],
  shortlog: ["cnse:w", `${log} committer numbered summary email group`],
  show: [shown, `${diff} ${log}`],
  "show-branch": [
    "arg",
    `all remotes color more list current sha1-name merge-base independent topo-order topics sparse date-order reflog
    name`,
  ],
  "show-ref": ["dsq", "tags heads verify head dereference hash abbrev quiet exclude-existing branches exists"],
  "sparse-checkout": ["", "cone sparse-index skip-checks stdin"],
  stage: add,
  status: [
    "vsbz:uM",
    `verbose short branch show-stash ahead-behind porcelain long null untracked-files ignored ignore-submodules column
    find-renames renames`,
  ],
  stripspace: ["sc", "strip-comments comment-lines"],
  submodule: [
    "qfN:j",
    `cached recursive quiet files summary-limit init remote force checkout jobs depth single-branch fetch progress merge
    rebase recommend-shallow`,
  ],
  switch: [
    "qmdtf:cC",
    `create force-create guess discard-changes quiet progress merge conflict detach track force orphan overwrite-ignore
    ignore-other-worktrees no-recurse-submodules`,
  ],
  "symbolic-ref": ["qd:m", "quiet delete short recurse"],
  tag: [
    "ldvaesfi:nmFu",
    `list delete verify annotate message file edit sign cleanup local-user force create-reflog column contains with
    without merged sort points-at format color ignore-case omit-empty`,
  ],
  "update-index": [
    "qzg",
    `ignore-submodules add replace remove unmerged refresh really-refresh cacheinfo chmod assume-unchanged
    skip-worktree ignore-skip-worktree-entries info-only force-remove stdin index-info unresolve again ignore-missing
    verbose clear-resolve-undo index-version split-index untracked-cache force-untracked-cache force-write-index`,
  ],
  "update-ref": ["dz", "no-deref create-reflog"],
  var: ["l", ""],
  "verify-commit": ["v", "verbose raw"],
  "verify-pack": ["vs", "verbose stat-only object-format"],
  "verify-tag": ["v", "verbose raw format"],
  version: ["", "build-options"],
  whatchanged: [shown, `${diff} ${log}`],
  worktree: [
    "fdvqzn:bB",
    "force detach checkout lock reason quiet track guess-remote porcelain verbose expire orphan relative-paths dry-run",
  ],
  "write-tree": ["", "missing-ok prefix ignore-cache-tree"],
  stash: [
    `k${shown}`,
    `${diff} ${log} index only-untracked keep-index staged patch quiet include-untracked all message pathspec-from-file
    pathspec-file-nul`,
  ],
}

const commands: ReadonlyMap<string, CommandOptions> = new Map(
  Object.entries(table).map(([name, [letters, long]]) => [name, { letters, long: new Set(wordsOf(long)) }]),
)

/**
 * The options of a known command. Any other may be an alias, which settings can point to a program, or a program
 * `git-…`.
 */
export const optionsOf = (command: string): CommandOptions | undefined => commands.get(command)

/**
 * Commands that create nothing at paths in their words and contact no repository named by their words, so that their
 * words may be any texts and paths. git itself takes no path in `.git`, and follows no link of the working tree.
 */
const takesNoPlace =
  /^(?:add|annotate|blame|bisect|branch|cat-file|check-\w+|checkout|cherry|cherry-pick|commit|commit-tree|count-objects|describe|diff|diff-\w+|for-each-ref|fsck|gc|grep|help|maintenance|log|ls-files|ls-tree|merge|merge-base|name-rev|notes|range-diff|rebase|reflog|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|show-\w+|stage|stash|status|switch|tag|verify-\w+|whatchanged)$/

/** Whether words of a command can lead to places where it writes or reads settings. */
export const mayLeadElsewhere = (command: string): boolean => !takesNoPlace.test(command)
