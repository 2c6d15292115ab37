// Tensor lists of the graph interpreter: immutable vectors of values, shared until changed.
#include <cstring>

#include "core/array_attrs.h"
#include "runtime/graph_run.h"

namespace tsr {
namespace {

using List = std::vector<RtValue>;

RtValue list_value(List elements) {
  RtValue v;
  v.kind = RtValue::Kind::kList;
  v.list = std::make_shared<const List>(std::move(elements));
  return v;
}

RtValue int_scalar(int64_t n) {
  const Tensor t = Tensor::scalar(static_cast<double>(n), DType::kInt32);
  RtValue v;
  v.kind = RtValue::Kind::kTensor;
  v.type = t.type();
  v.storage = t.impl()->storage;
  return v;
}

// Lists of more elements than this are refused: no model needs them, a broken one may ask for them.
constexpr int64_t kMaxListSize = 1 << 20;

const List& list_of(const RtValue& v, const char* what) {
  require(v.kind == RtValue::Kind::kList, what, " must be a tensor list");
  return *v.list;
}

// An element that was reserved and never set reads as zeros of its neighbours' type.
List filled(const List& list, const char* what) {
  const RtValue* sample = nullptr;
  for (const RtValue& e : list) {
    if (e.kind == RtValue::Kind::kTensor) {
      sample = &e;
      break;
    }
  }
  require(sample != nullptr || list.empty(), what, ": no element of the list was ever set");
  List out = list;
  for (RtValue& e : out) {
    if (e.kind == RtValue::Kind::kTensor) continue;
    e.kind = RtValue::Kind::kTensor;
    e.type = sample->type;
    e.storage = Ref<Storage>(new Storage(e.type.dtype, e.type.shape.size()));
    Ref<HostBuffer> zeros(new HostBuffer(e.storage->logical_bytes()));
    std::memset(zeros->data(), 0, zeros->size());
    e.storage->set_host(std::move(zeros));
  }
  return out;
}

RtValue stack(const List& list, const char* what) {
  const List all = filled(list, what);
  require(!all.empty(), what, ": the list is empty, so the shape of its elements is unknown");
  // The ops `stack` and `unstack` are compositions, which a plan does not hold: concat and split with the extent of 1 taken as read.
  List rows = all;
  for (RtValue& row : rows) {
    require(row.type.dtype == all[0].type.dtype && row.type.shape == all[0].type.shape, what, ": the list holds ", all[0].type, " and ",
            row.type);
    row.type.shape.insert(0, 1);
  }
  if (rows.size() == 1) return rows[0];
  AxisAttrs a;
  a.axis = 0;
  return run_op_now(get_op("concat"), a, rows)[0];
}

List rows_of(const RtValue& tensor, const char* what) {
  require(tensor.kind == RtValue::Kind::kTensor && tensor.type.shape.rank() >= 1, what, " needs a tensor of rank 1 or more");
  const int64_t n = tensor.type.shape[0];
  require(n <= kMaxListSize, what, ": a list of ", n, " elements was asked for; at most ", kMaxListSize, " are possible");
  if (n == 0) return {};
  List rows{tensor};
  if (n > 1) {
    SplitAttrs a;
    a.num_or_size_splits = {n};
    rows = run_op_now(get_op("split"), a, std::span<const RtValue>(&tensor, 1));
  }
  for (RtValue& row : rows) row.type.shape.erase(0);
  return rows;
}

}  // namespace

Progress GraphRun::run_list(const Node& n) {
  const auto in = [&](size_t i) -> const RtValue& { return host_or_device(n.inputs[i]); };
  const auto wait_for = [&](size_t i) { return fetch(n.inputs[i]); };
  const auto index_in = [&](size_t i, int64_t size) {
    const int64_t at = host_int(n.inputs[i], "a list index");
    require(at >= 0 && at < size, "list index ", at, " is out of range: the list has ", size, " elements");
    return static_cast<size_t>(at);
  };
  Progress p = Progress::kDone;
  switch (n.kind) {
    case NodeKind::kListReserve: {
      if ((p = wait_for(0)) != Progress::kDone) return p;
      const int64_t size = host_int(n.inputs[0], "a list's size");
      require(size >= 0 && size <= kMaxListSize, "a tensor list of ", size, " elements was asked for; at most ", kMaxListSize,
              " are possible");
      set(n, 0, list_value(List(static_cast<size_t>(size))));
      return Progress::kDone;
    }
    case NodeKind::kListFromTensor: set(n, 0, list_value(rows_of(in(0), "TensorListFromTensor"))); return Progress::kDone;
    case NodeKind::kListGet: {
      if ((p = wait_for(1)) != Progress::kDone) return p;
      const List& list = list_of(in(0), "TensorListGetItem's first input");
      const size_t i = index_in(1, static_cast<int64_t>(list.size()));
      require(list[i].kind == RtValue::Kind::kTensor, "list element ", i, " was never set");
      set(n, 0, list[i]);
      return Progress::kDone;
    }
    case NodeKind::kListSet: {
      if ((p = wait_for(1)) != Progress::kDone) return p;
      List list = list_of(in(0), "TensorListSetItem's first input");
      const int64_t at = host_int(n.inputs[1], "a list index");
      require(at >= 0 && at < kMaxListSize, "list index ", at, " is out of range");
      // TensorArray writes beyond the end make the list grow.
      if (static_cast<size_t>(at) >= list.size()) list.resize(static_cast<size_t>(at) + 1);
      list[static_cast<size_t>(at)] = in(2);
      set(n, 0, list_value(std::move(list)));
      return Progress::kDone;
    }
    case NodeKind::kListStack: set(n, 0, stack(list_of(in(0), "TensorListStack's input"), "TensorListStack")); return Progress::kDone;
    case NodeKind::kListPush: {
      List list = list_of(in(0), "TensorListPushBack's first input");
      list.push_back(in(1));
      set(n, 0, list_value(std::move(list)));
      return Progress::kDone;
    }
    case NodeKind::kListPop: {
      List list = list_of(in(0), "TensorListPopBack's first input");
      require(!list.empty(), "TensorListPopBack of an empty list");
      RtValue last = list.back();
      list.pop_back();
      set(n, 0, list_value(std::move(list)));
      set(n, 1, std::move(last));
      return Progress::kDone;
    }
    case NodeKind::kListLength:
      set(n, 0, int_scalar(static_cast<int64_t>(list_of(in(0), "TensorListLength's input").size())));
      return Progress::kDone;
    case NodeKind::kListConcat: {
      const List all = filled(list_of(in(0), "TensorListConcat's input"), "TensorListConcat");
      require(!all.empty(), "TensorListConcat of an empty list: the shape of its elements is unknown");
      AxisAttrs a;
      a.axis = 0;
      set(n, 0, run_op_now(get_op("concat"), a, all)[0]);
      return Progress::kDone;
    }
    case NodeKind::kListGather: {
      if ((p = wait_for(1)) != Progress::kDone) return p;
      const List& list = list_of(in(0), "TensorListGather's first input");
      const RtValue& indices = host(n.inputs[1]);
      require(indices.type.dtype == DType::kInt32, "TensorListGather's indices must be int32, got ", indices.type);
      List chosen;
      const auto* at = reinterpret_cast<const int32_t*>(indices.storage->host());
      for (int64_t i = 0; i < indices.type.shape.size(); ++i) {
        require(at[i] >= 0 && static_cast<size_t>(at[i]) < list.size(), "list index ", at[i], " is out of range: the list has ",
                list.size(), " elements");
        chosen.push_back(list[static_cast<size_t>(at[i])]);
      }
      set(n, 0, stack(chosen, "TensorListGather"));
      return Progress::kDone;
    }
    case NodeKind::kListScatter: {
      if ((p = wait_for(1)) != Progress::kDone) return p;
      if (n.inputs.size() > 2 && (p = wait_for(2)) != Progress::kDone) return p;
      const List rows = rows_of(in(0), "TensorListScatter");
      const RtValue& indices = host(n.inputs[1]);
      require(indices.type.dtype == DType::kInt32 && indices.type.shape.size() == static_cast<int64_t>(rows.size()),
              "TensorListScatter needs ", rows.size(), " int32 indices, got ", indices.type);
      const int64_t size = n.inputs.size() > 2 ? host_int(n.inputs[2], "a list's size") : -1;
      require(size <= kMaxListSize, "a tensor list of ", size, " elements was asked for; at most ", kMaxListSize, " are possible");
      List list(size > 0 ? static_cast<size_t>(size) : 0);
      const auto* at = reinterpret_cast<const int32_t*>(indices.storage->host());
      for (size_t i = 0; i < rows.size(); ++i) {
        require(at[i] >= 0 && at[i] < kMaxListSize, "list index ", at[i], " is out of range");
        if (static_cast<size_t>(at[i]) >= list.size()) list.resize(static_cast<size_t>(at[i]) + 1);
        list[static_cast<size_t>(at[i])] = rows[i];
      }
      set(n, 0, list_value(std::move(list)));
      return Progress::kDone;
    }
    case NodeKind::kListSplit: {
      if ((p = wait_for(1)) != Progress::kDone) return p;
      const RtValue& lengths = host(n.inputs[1]);
      require(lengths.type.dtype == DType::kInt32, "TensorListSplit's lengths must be int32, got ", lengths.type);
      SplitAttrs a;
      const auto* len = reinterpret_cast<const int32_t*>(lengths.storage->host());
      for (int64_t i = 0; i < lengths.type.shape.size(); ++i) a.num_or_size_splits.push_back(len[i]);
      if (a.num_or_size_splits.size() == 1) {  // one number would mean equal parts
        set(n, 0, list_value({in(0)}));
        return Progress::kDone;
      }
      const RtValue& tensor = in(0);
      set(n, 0, list_value(run_op_now(get_op("split"), a, std::span<const RtValue>(&tensor, 1))));
      return Progress::kDone;
    }
    case NodeKind::kListResize: {
      if ((p = wait_for(1)) != Progress::kDone) return p;
      List list = list_of(in(0), "TensorListResize's first input");
      const int64_t size = host_int(n.inputs[1], "a list's size");
      require(size >= 0 && size <= kMaxListSize, "a tensor list of ", size, " elements was asked for; at most ", kMaxListSize,
              " are possible");
      list.resize(static_cast<size_t>(size));
      set(n, 0, list_value(std::move(list)));
      return Progress::kDone;
    }
    default: fail(ErrorCode::kInternal, "internal fault: an unknown kind of graph node");
  }
}

}  // namespace tsr
