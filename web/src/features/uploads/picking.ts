import { installerOf, isArchiveName } from "./rules";

/** A file with its path in the folder that was picked. */
export interface PickedFile {
  path: string;
  file: File;
}

/** A folder, an archive, or an installer with its parts to upload. */
export interface Picked {
  name: string;
  isArchive: boolean;
  isInstaller: boolean;
  files: PickedFile[];
}

/** What was selected with a file dialog, for a folder or for files. */
export function chosen(list: FileList): Picked {
  return picked([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

/** What was dropped, with all files of dropped folders. Call it while the event is handled. */
export async function dropped(transfer: DataTransfer): Promise<Picked> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return picked((await Promise.all(entries.map((entry) => filesOf(entry, "")))).flat());
}

/** One folder is named like itself, and its name is not part of the paths. */
function picked(files: PickedFile[]): Picked {
  const tops = new Set(files.map(({ path }) => path.split("/", 1)[0] ?? ""));
  const [top = ""] = tops;
  const isFolder = tops.size === 1 && files.every(({ path }) => path.startsWith(`${top}/`));
  if (isFolder) {
    const inside = files.map(({ path, file }) => ({ path: path.slice(top.length + 1), file }));
    const installer = installerOf(inside.map(({ path }) => path));
    return { name: installer ?? top, isArchive: false, isInstaller: installer !== null, files: inside };
  }
  const isArchive = files.length === 1 && isArchiveName(top);
  const installer = installerOf(files.map(({ path }) => path));
  if (installer) return { name: installer, isArchive: false, isInstaller: true, files };
  return { name: tops.size === 1 ? top : "", isArchive, isInstaller: false, files };
}

async function filesOf(entry: FileSystemEntry, folder: string): Promise<PickedFile[]> {
  const path = folder + entry.name;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => {
      entry.file(resolve, reject);
    });
    return [{ path, file }];
  }
  const found: PickedFile[] = [];
  for (const each of await entriesOf(entry as FileSystemDirectoryEntry))
    found.push(...(await filesOf(each, `${path}/`)));
  return found;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

/** All entries of a folder. A browser returns some of them at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (!some.length) return all;
    all.push(...some);
  }
}
