// Borrowing an application's WebGL 2 context: what the driver changes is saved before, set to what it relies on, and put back.

const CAPABILITIES = ['BLEND', 'DEPTH_TEST', 'STENCIL_TEST', 'CULL_FACE', 'DITHER', 'SCISSOR_TEST', 'RASTERIZER_DISCARD',
                      'SAMPLE_ALPHA_TO_COVERAGE', 'SAMPLE_COVERAGE', 'POLYGON_OFFSET_FILL'];
/** Pixel transfer parameters and the values the driver relies on. */
const PIXEL_STORE = { UNPACK_ALIGNMENT: 4, UNPACK_ROW_LENGTH: 0, UNPACK_SKIP_ROWS: 0, UNPACK_SKIP_PIXELS: 0, UNPACK_IMAGE_HEIGHT: 0,
                      UNPACK_SKIP_IMAGES: 0, UNPACK_FLIP_Y_WEBGL: false, UNPACK_PREMULTIPLY_ALPHA_WEBGL: false, PACK_ALIGNMENT: 4,
                      PACK_ROW_LENGTH: 0, PACK_SKIP_ROWS: 0, PACK_SKIP_PIXELS: 0 };

/**
 * Saves the state, resets it to the defaults that drawing and copying need, and returns a function that puts it back. Looks at the
 * first `units` texture units. Costs some fifty queries, so only for contexts that are not the driver's own.
 */
export function saveState(gl, units) {
  const get = (name) => gl.getParameter(gl[name]);
  const program = get('CURRENT_PROGRAM');
  const vertexArray = get('VERTEX_ARRAY_BINDING');
  const drawFramebuffer = get('DRAW_FRAMEBUFFER_BINDING');
  const readFramebuffer = get('READ_FRAMEBUFFER_BINDING');
  const packBuffer = get('PIXEL_PACK_BUFFER_BINDING');
  const unpackBuffer = get('PIXEL_UNPACK_BUFFER_BINDING');
  const viewport = get('VIEWPORT');
  const scissor = get('SCISSOR_BOX');
  const mask = get('COLOR_WRITEMASK');
  const active = get('ACTIVE_TEXTURE');
  const capabilities = CAPABILITIES.map((name) => gl.isEnabled(gl[name]));
  const pixelStore = Object.keys(PIXEL_STORE).map(get);
  const textures = [];
  for (let k = 0; k < units; ++k) {
    gl.activeTexture(gl.TEXTURE0 + k);
    textures.push([get('TEXTURE_BINDING_2D'), get('SAMPLER_BINDING')]);
    gl.bindSampler(k, null);
  }

  for (const name of CAPABILITIES) gl.disable(gl[name]);
  for (const [name, value] of Object.entries(PIXEL_STORE)) gl.pixelStorei(gl[name], value);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  gl.bindBuffer(gl.PIXEL_UNPACK_BUFFER, null);
  gl.colorMask(true, true, true, true);

  return () => {
    if (gl.isContextLost()) return;
    for (let k = 0; k < units; ++k) {
      gl.activeTexture(gl.TEXTURE0 + k);
      gl.bindTexture(gl.TEXTURE_2D, textures[k][0]);
      gl.bindSampler(k, textures[k][1]);
    }
    gl.activeTexture(active);
    CAPABILITIES.forEach((name, i) => (capabilities[i] ? gl.enable(gl[name]) : gl.disable(gl[name])));
    Object.keys(PIXEL_STORE).forEach((name, i) => gl.pixelStorei(gl[name], pixelStore[i]));
    gl.colorMask(...mask);
    gl.viewport(...viewport);
    gl.scissor(...scissor);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, packBuffer);
    gl.bindBuffer(gl.PIXEL_UNPACK_BUFFER, unpackBuffer);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, drawFramebuffer);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, readFramebuffer);
    gl.bindVertexArray(vertexArray);
    gl.useProgram(program);
  };
}
