/** The kind of a tool, as far as its name tells. */
export type ToolKind =
  | "read"
  | "write"
  | "edit"
  | "delete"
  | "command"
  | "search"
  | "list"
  | "todo"
  | "skill"
  | "task"
  | "web"
  | "memory"
  | "other";

/** Exact tool names and their kinds, where the caller knows better. */
export type ToolKinds = Readonly<Record<string, ToolKind>>;

/**
 * The names that agents really use (Claude Code, opencode, Codex, pi, Gemini CLI, Cline, Roo,
 * SWE-agent, OpenHands, Copilot, Cursor, deepagents, Anthropic's own tools and common MCP servers),
 * in lower case and without separators: `read_file`, `readFile` and `ReadFile` are one name.
 */
const NAMES: Readonly<Record<Exclude<ToolKind, "other">, string>> = {
  read: `read open view cat readfile readfiles readmanyfiles readtextfile readmediafile
    readmultiplefiles viewfile viewimage getfilecontents getfile notebookread readnotebook openfile
    fileread fsread readlines viewcode`,
  write: `write create writefile createfile writetofile filewrite newfile savefile createorupdatefile
    createtextfile overwritefile fswrite pushfile`,
  edit: `edit multiedit notebookedit applypatch patch replace insert strreplaceeditor editor editfile
    multieditfile strreplacebasededittool strreplace texteditor replaceinfile searchreplace
    searchandreplace editnotebookfile insertcontent applydiff insertintofile fileedit multireplace
    replacefilecontent multireplacefilecontent reapply editfilelines movefile renamefile mv appendfile
    appendtofile replacelines editlines insertlines replacestringinfile multireplacestringinfile
    inserteditintofile applyedit`,
  delete: `delete deletefile removefile deletefiles rm unlink filedelete`,
  command: `bash shell localshell execcommand shellcommand runshellcommand runcommand runcommands
    executebash executecommand powershell run runipython executeipythoncell runterminalcmd
    runterminalcommand runinterminal terminal cmd execute exec sh zsh containerexec unifiedexec
    writestdin executeshell executeshellcommand runbash shellexec ipython python
    codeexecution bashcodeexecution startprocess`,
  search: `grep grepsearch searchfilecontent searchfiles search find findfile findfiles searchdir
    searchfile multigrep glob globsearch ripgrep codebasesearch filesearch
    searchcode semanticsearch searchcodebase searchworkspace textsearch rg findbyname`,
  list: `ls list listdir listdirectory listfiles tree directorytree listdirectorywithsizes listdirs
    viewdirectory listcodedefinitionnames`,
  todo: `todowrite todoread todo updateplan writetodos taskcreate taskupdate tasklist taskget
    updatetodolist managetodolist writetodo updatetodos todolist tasktracker plan`,
  skill: `skill useskill loadskill activateskill readskill runskill`,
  task: `task agent subagent delegate spawnagent newtask runsubagent delegatetoagent dispatchagent
    sendmessage sendinput waitagent`,
  web: `webfetch websearch fetch webread googlewebsearch browse browser browseraction browserevaluate
    browsernavigate fetchurl fetchwebpage readurl urlfetch tavilysearch codesearch websearchcall
    bravewebsearch exasearch`,
  memory: `memory savememory recall remember addmemory searchmemory readmemory writememory
    updatememory creatememory storememory`,
};

/** Every kind. */
export const KINDS: readonly string[] = [...Object.keys(NAMES), "other"];

const KIND_BY_NAME: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name): [string, ToolKind] => [name, kind as ToolKind]),
  ),
);

/** `mcp__server__tool`: what Claude Code, Codex and Cline make of an MCP tool's name. */
const MCP_PREFIX = /^mcp__.+?__/;
const SEPARATED = /^[a-z0-9]+[._/:-]+(?=.*[a-z])/i;

/**
 * The kind of a tool by its name; `other` for a name that is in no table.
 * @param kinds Kinds that the caller knows better, by exact name.
 */
export function toolKind(toolName: string, kinds?: ToolKinds): ToolKind {
  if (kinds !== undefined && Object.hasOwn(kinds, toolName)) return kinds[toolName] ?? "other";
  const exact = KIND_BY_NAME.get(bareName(toolName));
  if (exact !== undefined) return exact;
  const ownName = toolName.replace(MCP_PREFIX, "");
  return KIND_BY_NAME.get(bareName(ownName)) ?? kindWithoutServer(ownName);
}

/** Some agents put the server's name before the tool's: `filesystem_read_file`, `fs.read_file`. */
function kindWithoutServer(toolName: string): ToolKind {
  const rest = toolName.replace(SEPARATED, "");
  // One word alone says too little: `user_find` and `tabs_create` are no file tools.
  if (rest === toolName || bareName(rest) === rest.toLowerCase()) return "other";
  return KIND_BY_NAME.get(bareName(rest)) ?? "other";
}

/** A tool's name in lower case and without separators: `read_file` and `ReadFile` are `readfile`. */
export function bareName(toolName: string): string {
  const known = BARE_NAMES.get(toolName);
  if (known !== undefined) return known;
  const bare = toolName.toLowerCase().replace(/[^a-z0-9]+/g, "");
  if (BARE_NAMES.size >= MOST_NAMES) BARE_NAMES.clear();
  BARE_NAMES.set(toolName, bare);
  return bare;
}

/** An agent has some dozens of tools, and calls them thousands of times. */
const BARE_NAMES = new Map<string, string>();
const MOST_NAMES = 1_000;
