// ReturnStack: where threads put what belongs to another. Internal to core/.
#pragma once

#include <atomic>

namespace likely::detail {

// A list through the member `next` of its items: anybody pushes, whoever takes takes all. No item is looked
// at by two threads, so it needs neither a lock nor care for items that come and go. Closed at first.
template <class Item>
class ReturnStack {
 public:
  // False if nobody is going to take it.
  bool push(Item* item) {
    Item* head = head_.load(std::memory_order_relaxed);
    do {
      if (head == &closed_) return false;
      item->next = head;
    } while (!head_.compare_exchange_weak(head, item, std::memory_order_release, std::memory_order_relaxed));
    return true;
  }

  // All items, the last one first; null if there are none.
  Item* take() {
    Item* head = head_.load(std::memory_order_relaxed);
    while (head != nullptr && head != &closed_) {
      if (head_.compare_exchange_weak(head, nullptr, std::memory_order_acquire, std::memory_order_relaxed)) {
        return head;
      }
    }
    return nullptr;
  }

  void open() { head_.store(nullptr, std::memory_order_relaxed); }
  // Takes what is there; nothing comes in from now on.
  Item* close() {
    Item* const head = head_.exchange(&closed_, std::memory_order_acquire);
    return head == &closed_ ? nullptr : head;
  }

 private:
  static inline Item closed_{};
  std::atomic<Item*> head_{&closed_};
};

}  // namespace likely::detail
