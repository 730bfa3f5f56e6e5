// Where answers wait until they are stored: IndexedDB, which survives a closed tab; memory where there is none.

const NAME = "codejury-answers";
const TABLE = "waiting";

function asked(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function finished(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

class DurableStore {
  durable = true;

  constructor(database) {
    this.database = database;
  }

  async change(work) {
    const transaction = this.database.transaction(TABLE, "readwrite", { durability: "strict" });
    const request = work(transaction.objectStore(TABLE));
    await finished(transaction);
    return request.result;
  }

  async add(entry) {
    entry.number = await this.change((table) => table.add({ ...entry }));
  }

  replace(entry) {
    return this.change((table) => table.put(entry));
  }

  remove(entry) {
    return this.change((table) => table.delete(entry.number));
  }

  // In the order in which the answers were given.
  async of(owner) {
    const all = await asked(this.database.transaction(TABLE).objectStore(TABLE).getAll());
    return all.filter((entry) => entry.owner === owner);
  }
}

class MemoryStore {
  durable = false;
  entries = new Map();
  last = 0;

  async add(entry) {
    entry.number = ++this.last;
    this.entries.set(entry.number, { ...entry });
  }

  async replace(entry) {
    this.entries.set(entry.number, entry);
  }

  async remove(entry) {
    this.entries.delete(entry.number);
  }

  async of(owner) {
    return [...this.entries.values()].filter((entry) => entry.owner === owner);
  }
}

export async function openStore() {
  try {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE, { keyPath: "number", autoIncrement: true });
    return new DurableStore(await asked(request));
  } catch {
    return new MemoryStore(); // private windows of some browsers, or a full disk
  }
}

// What a store that takes no more still holds, in memory.
export async function memoryCopy(store, owner) {
  const copy = new MemoryStore();
  for (const entry of await store.of(owner).catch(() => [])) await copy.add(entry);
  return copy;
}
