// The page that measures one's own device: node bench/serve.mjs, then open what it prints. PORT chooses the port.
import { serve } from './lib/server.mjs';
import { snapshot } from './lib/snapshot.mjs';
import { writeModels } from './nets/files.mjs';

await snapshot();
writeModels();
console.log((await serve({ isolated: true, port: Number(process.env.PORT ?? 8081) })).url);
